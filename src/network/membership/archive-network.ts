// A network: peers that keep one archive together. What it is called, what it is known by, and who may come in.
//
// Invariants: the id follows from the key and the kind, so nobody can make another network of the same id, nor an open
// one out of one that is not. The id is no secret: it stands in the first exchange of keys, so that peers of different
// networks never get past that.

import { hash } from 'node:crypto'
import { bytesToText, type Fields, keyIn, textIn, Unfit } from './fields.ts'
import type { PublicKey } from './signing.ts'

/** `invited`: only with an invitation. `open`: whoever knows the id. */
export type NetworkKind = 'invited' | 'open'

export interface ArchiveNetwork {
  readonly name: string
  readonly kind: NetworkKind
  /** Whoever holds its other half can invite. */
  readonly key: PublicKey
}

const nameLengthMax = 100
const idDigits = 32

export function networkIdOf({ kind, key }: ArchiveNetwork): string {
  return hash('sha256', `polyhistor network\n${kind}\n${bytesToText(key)}`, 'hex').slice(0, idDigits)
}

/** What both ends of a connection must begin with. */
export function prologueOf(network: ArchiveNetwork): Uint8Array {
  return Buffer.from(`polyhistor ${networkIdOf(network)}`)
}

/** Under which name peers of this network ask for each other on the local network. */
export function mdnsNameOf(network: ArchiveNetwork): string {
  return `_polyhistor-${networkIdOf(network).slice(0, 16)}._udp.local`
}

export function isNetworkName(name: string): boolean {
  return name.length > 0 && name.length <= nameLengthMax && !/\p{Cc}/u.test(name)
}

export function writeNetwork({ name, kind, key }: ArchiveNetwork): Fields {
  return { name, kind, key: bytesToText(key) }
}

export function readNetwork(fields: Fields): ArchiveNetwork {
  const name = textIn(fields, 'name', nameLengthMax)
  const kind = fields.kind
  if (!isNetworkName(name) || (kind !== 'invited' && kind !== 'open')) throw new Unfit('network')
  return { name, kind, key: keyIn(fields, 'key') }
}
