"""Work that outlives the call: the queue's contract, and the workers in this process."""
