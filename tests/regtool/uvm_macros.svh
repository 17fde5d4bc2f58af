// Stands for UVM's macros where only the syntax of a register model is checked.
`define uvm_object_utils(T)
