// Attacks that still do harm, by name. The tests do not run them; docs/security.md says so. To be empty.

export const open: ReadonlySet<string> = new Set([
  // Each peer prefers the capture that it knew first. Who gets both later, as a new holder, may get the forged one first.
  'captures: the same second',
])
