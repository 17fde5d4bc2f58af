// Stands for UVM's package where only the syntax of a register model is checked: classes and methods that the model
// uses, with their arguments as in IEEE 1800.2.
package uvm_pkg;
  typedef longint unsigned uvm_reg_addr_t;
  typedef bit [63:0] uvm_reg_data_t;
  typedef enum {UVM_NO_ENDIAN, UVM_LITTLE_ENDIAN, UVM_BIG_ENDIAN} uvm_endianness_e;
  parameter int UVM_NO_COVERAGE = 0;

  typedef class uvm_reg;
  typedef class uvm_reg_block;

  class uvm_reg_field;
    rand uvm_reg_data_t value;
    function new(string name = "");
    endfunction
    function void configure(uvm_reg parent, int unsigned size, int unsigned lsb_pos, string access, bit is_volatile,
                            uvm_reg_data_t reset, bit has_reset, bit is_rand, bit individually_accessible);
    endfunction
  endclass

  class uvm_reg;
    function new(string name, int unsigned n_bits, int has_coverage);
    endfunction
    function void configure(uvm_reg_block blk_parent);
    endfunction
    virtual function void build();
    endfunction
  endclass

  class uvm_mem;
    function new(string name, longint unsigned size, int unsigned n_bits, string access = "RW");
    endfunction
    function void configure(uvm_reg_block parent);
    endfunction
  endclass

  class uvm_reg_map;
    function void add_reg(uvm_reg rg, uvm_reg_addr_t offset, string rights = "RW");
    endfunction
    function void add_mem(uvm_mem mem, uvm_reg_addr_t offset, string rights = "RW");
    endfunction
  endclass

  class uvm_reg_block;
    uvm_reg_map default_map;
    function new(string name = "", int has_coverage = 0);
    endfunction
    function uvm_reg_map create_map(string name, uvm_reg_addr_t base_addr, int unsigned n_bytes, uvm_endianness_e endian);
      return null;
    endfunction
    function void lock_model();
    endfunction
    virtual function void build();
    endfunction
  endclass
endpackage
