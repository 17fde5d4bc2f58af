"""Makes the HTML file about runs."""
