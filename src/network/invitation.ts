// An invitation: a text that lets whoever has it into a network, until it expires.
//
// It holds a key of its own, which the network's key has signed together with the expiry. Whoever joins signs its identity
// with that key; the key itself never travels again, so that not even who is asked to let us in can take it from us.
// The invitation to an open network has no key: it only tells which network, and where its peers are.

import type { Random } from '../world/random.ts'
import { type ArchiveNetwork, networkIdOf, readNetwork, writeNetwork } from './archive-network.ts'
import { bytesToText, type Fields, fieldsOf, keyIn, numberIn, signatureIn, textsIn, Unfit } from './fields.ts'
import { NetworkError } from './network-error.ts'
import { isSigned, keyBytes, type PublicKey, publicKeyOf, type Seed, signFor } from './signing.ts'

/** The part that everybody may see: that the network's key lets whoever holds this key in. */
export interface Grant {
  readonly key: PublicKey
  /** For good when not given. */
  readonly expiresAtMs: number | undefined
  readonly signature: Uint8Array
}

export interface Invitation {
  readonly network: ArchiveNetwork
  /** Where peers of the network were when it was made. */
  readonly addresses: readonly string[]
  /** Not for open networks. */
  readonly admission: { readonly grant: Grant; readonly seed: Seed } | undefined
}

export const addressesMax = 16
export const addressLengthMax = 512
const prefix = 'polyhistor-invitation-1.'
const lengthMax = 16_384

/** `networkSeed` is the network's secret: see network-file.ts. */
export function invite(
  network: ArchiveNetwork,
  networkSeed: Seed,
  random: Random,
  options: { addresses?: readonly string[]; expiresAtMs?: number | undefined } = {},
): Invitation {
  const { addresses = [], expiresAtMs } = options
  if (network.kind === 'open') return { network, addresses, admission: undefined }
  const seed = random.bytes(keyBytes)
  const key = publicKeyOf(seed)
  const signature = signFor('invitation', grantFields(network, key, expiresAtMs), networkSeed)
  return { network, addresses, admission: { seed, grant: { key, expiresAtMs, signature } } }
}

/** Whether the network's key has signed it. Says nothing of the expiry. */
export function isGranted(network: ArchiveNetwork, grant: Grant): boolean {
  const fields = grantFields(network, grant.key, grant.expiresAtMs)
  return isSigned('invitation', fields, grant.signature, network.key)
}

export function isExpired(grant: Grant, nowMs: number): boolean {
  return grant.expiresAtMs !== undefined && nowMs > grant.expiresAtMs
}

function grantFields(network: ArchiveNetwork, key: PublicKey, expiresAtMs: number | undefined): string[] {
  return [networkIdOf(network), bytesToText(key), String(expiresAtMs ?? 'never')]
}

export function writeInvitation({ network, addresses, admission }: Invitation): string {
  const fields = {
    network: writeNetwork(network),
    addresses: addresses.slice(0, addressesMax),
    ...(admission && { grant: writeGrant(admission.grant), seed: bytesToText(admission.seed) }),
  }
  return prefix + Buffer.from(JSON.stringify(fields)).toString('base64url')
}

export function readInvitation(text: string): Invitation {
  const trimmed = text.trim()
  try {
    if (!trimmed.startsWith(prefix) || trimmed.length > lengthMax) throw new Unfit('prefix')
    const json = Buffer.from(trimmed.slice(prefix.length), 'base64url').toString('utf8')
    return invitationFrom(fieldsOf(JSON.parse(json)))
  } catch (error) {
    if (!(error instanceof Unfit) && !(error instanceof SyntaxError)) throw error
    throw new NetworkError(
      'network-invitation-malformed',
      'That is no invitation, or not all of one. It is one long word that starts with "polyhistor-invitation".',
    )
  }
}

function invitationFrom(fields: Fields): Invitation {
  const network = readNetwork(fieldsOf(fields.network))
  const addresses = textsIn(fields, 'addresses', addressesMax, addressLengthMax)
  if (network.kind === 'open') return { network, addresses, admission: undefined }
  const grant = readGrant(fieldsOf(fields.grant))
  const seed = keyIn(fields, 'seed')
  if (!isGranted(network, grant) || bytesToText(publicKeyOf(seed)) !== bytesToText(grant.key)) {
    throw new Unfit('signature')
  }
  return { network, addresses, admission: { grant, seed } }
}

export function writeGrant({ key, expiresAtMs, signature }: Grant): Fields {
  return {
    key: bytesToText(key),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    signature: bytesToText(signature),
  }
}

export function readGrant(fields: Fields): Grant {
  return {
    key: keyIn(fields, 'key'),
    expiresAtMs: fields.expiresAtMs === undefined ? undefined : numberIn(fields, 'expiresAtMs'),
    signature: signatureIn(fields, 'signature'),
  }
}
