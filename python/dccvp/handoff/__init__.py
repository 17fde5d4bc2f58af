"""Tools of the hand-off package (rtl/handoff)."""
