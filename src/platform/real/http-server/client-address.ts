// What counts as one client where limits are per address.

/** An IPv4 address, or the 64 bits of an IPv6 address that its network was given. */
export function clientAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '')
  if (!plain.includes(':') || plain === '::1') return plain
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length
  while (tail !== undefined && groups.length < 8 - after) groups.push('0')
  return [...groups, ...(tail?.split(':') ?? [])].slice(0, 4).join(':')
}

export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}
