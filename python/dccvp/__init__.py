"""DCC-VP on the host: experiments, reports, pictures, documentation, registers, hand-off."""
