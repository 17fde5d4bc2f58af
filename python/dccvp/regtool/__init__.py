"""Every form of the register maps from rtl/regs."""
