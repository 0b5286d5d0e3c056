"""What everything stands on: errors with a catalogue, source spans, knobs."""
