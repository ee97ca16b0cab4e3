// The remote logger.
