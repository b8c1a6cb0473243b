"""From a plan to an accepted question: its price, its limits, its reservation."""
