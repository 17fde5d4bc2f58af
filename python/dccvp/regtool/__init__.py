"""Generates all forms of the register maps in rtl/regs."""
