"""The HTML file about runs."""
