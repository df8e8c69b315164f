// Hashes of values and of where they stand, in 32 bits: for small records, not against attackers. Who makes two values of the own page
// collide has the own page taken for unchanged, which the same person could have had by not changing it.

export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return finished(hash)
}

export function joinHash(one: number, other: number): number {
  return finished(Math.imul(one, 0x85ebca6b) ^ (other + 0x9e3779b9))
}

function finished(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x7feb352d)
  mixed ^= mixed >>> 15
  return mixed >>> 0
}
