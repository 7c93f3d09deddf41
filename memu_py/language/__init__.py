"""Rules for English and Chinese that need no model: sentences, dates, entities, value, agreement, terms."""
