"""Questions added up and drawn: by day, dataset and colour, on every page that shows them so."""
