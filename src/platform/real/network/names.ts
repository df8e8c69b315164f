// TXT records of the domain name system.

import { Resolver } from 'node:dns/promises'

const timeoutMs = 3_000
const tries = 2

/** The records of a name; none when there is no such name. `servers` are those of the machine unless told. */
export async function lookUpText(name: string, servers?: readonly string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (servers !== undefined) resolver.setServers(servers)
  try {
    // A long record comes in pieces.
    return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTFOUND' || code === 'ENODATA') return []
    throw error
  }
}
