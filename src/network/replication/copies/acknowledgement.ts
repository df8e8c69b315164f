// When a capture counts as kept: at `copiesMin` durable acknowledgements, or all that can be had while peers are fewer.

/** How many peers must have it on disk, ourselves included. At least one: a capture that nobody has is not kept. */
export function acknowledgementsNeeded(copiesMin: number, peers: number): number {
  return Math.max(1, Math.min(copiesMin, peers))
}
