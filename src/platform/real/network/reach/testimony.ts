// What those who were asked to dial us say of where they reached us. What we believe of it is told to all peers as our address, so one
// that lies would have them all knock at somebody else's door.
//
// Witnesses of one kind (IPv4 or IPv6; far away or near) see us at one place. A host counts when half of the witnesses of its kind see us there, and
// only with ports that we asked for.

import { canBeOffered, hostPartOf, reachOf } from './multiaddress.ts'
import type { ReachAnswer } from './reach-messages.ts'

export interface Testimony {
  readonly kind: string
  /** Where it sees us. */
  readonly host: string | undefined
  /** Where it reached us. */
  readonly places: readonly string[]
}

/** `witness`: its own address. */
export function testimonyOf(
  witness: string,
  { seen, ports }: Pick<ReachAnswer, 'seen' | 'ports'>,
  asked: readonly number[],
): Testimony {
  const kind = `${familyOf(witness)} ${reachOf(witness)}`
  const host = hostPartOf(seen)
  if (host === undefined || familyOf(seen) !== familyOf(witness)) return { kind, host: undefined, places: [] }
  const places = ports.filter((port) => asked.includes(port)).map((port) => `${host}/tcp/${port}`)
  return { kind, host, places: places.filter(canBeOffered) }
}

export function agreedPlaces(heard: readonly Testimony[]): string[] {
  const agreed = heard.filter((one) => {
    const alike = heard.filter(({ kind }) => kind === one.kind)
    return 2 * alike.filter(({ host }) => host === one.host).length >= alike.length
  })
  return [...new Set(agreed.flatMap(({ places }) => places))]
}

function familyOf(address: string): string | undefined {
  return /^\/(ip[46])\//.exec(address)?.[1]
}
