/** With how many characters both begin. */
export function sharedLength(one: string, other: string): number {
  const max = Math.min(one.length, other.length)
  let length = 0
  while (length < max && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}
