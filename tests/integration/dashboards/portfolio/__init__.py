"""Every budget of an organisation, how long each lasts, and what several of them share."""
