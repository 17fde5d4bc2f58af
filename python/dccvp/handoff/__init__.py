"""Tools that make the hand-off package (rtl/handoff)."""
