// An invitation: a text that lets as many members as it says into a network, until it expires.
//
// It holds a key of its own, which the network's key has signed together with the expiry, the number of tickets and a random
// salt. Whoever joins signs its identity and one of the tickets with that key; the key itself never travels again, so that
// not even who is asked to let us in can take it from us. A member's places on the ring come from its ticket (ticket.ts).
// It also says which role they have (role.ts), and whether they have to prove themselves first: while on probation a member has no place on
// the ring (src/network/screening/). A volunteer's ticket gives none at all.
// The invitation to an open network has no key: it only tells which network, and where its peers are.
// Invitations of versions before tickets are still read, so that homes which joined with one open; nobody can join with them.

import type { Random } from '../../platform/random.ts'
import { type ArchiveNetwork, networkIdOf, readNetwork, writeNetwork } from './archive-network.ts'
import {
  bytesIn,
  bytesToText,
  type Fields,
  fieldsOf,
  keyIn,
  numberIn,
  signatureIn,
  textsIn,
  Unfit,
} from './fields.ts'
import { NetworkError } from './network-error.ts'
import { isRole, type NamedRole, type Role, siteCharsMax, sitesMax } from './role.ts'
import { isSigned, keyBytes, type PublicKey, publicKeyOf, type Seed, signFor } from './signing.ts'

/** The part that everybody may see: that the network's key lets whoever holds this key in. */
export interface Grant {
  readonly key: PublicKey
  /** For good when not given. */
  readonly expiresAtMs: number | undefined
  /** Not in grants from before there were tickets. */
  readonly tickets: GrantedTickets | undefined
  /** What its members are, unless somebody grants them another role. Not in grants from before there were roles: `roleOfGrant`. */
  readonly named?: NamedRole | undefined
  /** How long its members have to prove themselves before they get places on the ring; not given: they are trusted. */
  readonly probationMs?: number | undefined
  readonly signature: Uint8Array
}

/** Tickets from number 0 to `count` - 1. Their salts follow from this one: who holds the invitation can choose among its
 * tickets, and nothing else. */
interface GrantedTickets {
  readonly count: number
  readonly salt: Uint8Array
}

export interface Invitation {
  readonly network: ArchiveNetwork
  /** Where peers of the network were when it was made. */
  readonly addresses: readonly string[]
  /** Not for open networks. */
  readonly admission: { readonly grant: Grant; readonly seed: Seed } | undefined
}

interface InvitationOptions {
  readonly addresses?: readonly string[]
  readonly expiresAtMs?: number | undefined
  /** Members that it is good for. */
  readonly uses?: number | undefined
  /** 'member' when not given. */
  readonly role?: Role | undefined
  /** Of curators: all when none are given. */
  readonly sites?: readonly string[] | undefined
  /** Members are trusted when not given. */
  readonly probationMs?: number | undefined
}

/** Who has proved itself for so long is as well known as it will be. */
export const probationMsMax = 366 * 86_400_000
export const addressesMax = 16
export const addressLengthMax = 512
/** Who holds that many tickets can choose its places among them: more would be as good as choosing freely. */
export const usesMax = 1_000
const saltBytes = 16
const prefix = 'polyhistor-invitation-1.'
export const invitationCharsMax = 16_384

/** `networkSeed` is the network's secret: see network-file.ts. */
export function invite(
  network: ArchiveNetwork,
  networkSeed: Seed,
  random: Random,
  options: InvitationOptions = {},
): Invitation {
  const { addresses = [], expiresAtMs, uses = 1, role = 'member', sites = [], probationMs } = options
  if (network.kind === 'open') return { network, addresses, admission: undefined }
  const seed = random.bytes(keyBytes)
  const unsigned = {
    key: publicKeyOf(seed),
    expiresAtMs,
    tickets: { count: uses, salt: random.bytes(saltBytes) },
    named: { role, sites },
    ...(probationMs !== undefined && { probationMs }),
  }
  const signature = signFor('invitation', grantFields(network, unsigned), networkSeed)
  return { network, addresses, admission: { seed, grant: { ...unsigned, signature } } }
}

/** Whether the network's key has signed it. Says nothing of the expiry. */
export function isGranted(network: ArchiveNetwork, grant: Grant): boolean {
  return isSigned('invitation', grantFields(network, grant), grant.signature, network.key)
}

export function isExpired(grant: Grant, nowMs: number): boolean {
  return grant.expiresAtMs !== undefined && nowMs > grant.expiresAtMs
}

function grantFields(network: ArchiveNetwork, grant: Omit<Grant, 'signature'>): string[] {
  const { key, expiresAtMs, tickets, named, probationMs } = grant
  const fields = [networkIdOf(network), bytesToText(key), String(expiresAtMs ?? 'never')]
  const ticketed = tickets ? [...fields, String(tickets.count), bytesToText(tickets.salt)] : fields
  // Stands where the role does else, and is none.
  const screened = probationMs === undefined ? ticketed : [...ticketed, 'probation', String(probationMs)]
  return named ? [...screened, named.role, ...named.sites] : screened
}

/** What who joins with it is. */
export function roleOfGrant({ named }: Pick<Grant, 'named'>): NamedRole {
  return named ?? { role: 'member', sites: [] }
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
    if (!trimmed.startsWith(prefix) || trimmed.length > invitationCharsMax) throw new Unfit('prefix')
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
  return { network, addresses, admission: readInvitationKey(fields, network) }
}

/** The secret part of an invitation, from an invitation or from a home that keeps it. */
export function readInvitationKey(
  fields: Fields,
  network: ArchiveNetwork,
): NonNullable<Invitation['admission']> {
  const grant = readGrant(fieldsOf(fields.grant))
  const seed = keyIn(fields, 'seed')
  if (!isGranted(network, grant) || bytesToText(publicKeyOf(seed)) !== bytesToText(grant.key)) {
    throw new Unfit('signature')
  }
  return { grant, seed }
}

export function writeGrant({ key, expiresAtMs, tickets, named, probationMs, signature }: Grant): Fields {
  return {
    key: bytesToText(key),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(tickets && { uses: tickets.count, salt: bytesToText(tickets.salt) }),
    ...(named && { role: named.role }),
    ...(named && named.sites.length > 0 && { sites: named.sites }),
    ...(probationMs !== undefined && { probationMs }),
    signature: bytesToText(signature),
  }
}

export function readGrant(fields: Fields): Grant {
  return {
    key: keyIn(fields, 'key'),
    expiresAtMs: fields.expiresAtMs === undefined ? undefined : numberIn(fields, 'expiresAtMs'),
    tickets: fields.uses === undefined ? undefined : readTickets(fields),
    ...(fields.role !== undefined && { named: readNamedRole(fields) }),
    ...(fields.probationMs !== undefined && { probationMs: readProbation(fields) }),
    signature: signatureIn(fields, 'signature'),
  }
}

function readNamedRole(fields: Fields): NamedRole {
  const { role } = fields
  if (!isRole(role)) throw new Unfit('role')
  return { role, sites: fields.sites === undefined ? [] : textsIn(fields, 'sites', sitesMax, siteCharsMax) }
}

function readProbation(fields: Fields): number {
  const probationMs = numberIn(fields, 'probationMs')
  if (probationMs < 1 || probationMs > probationMsMax) throw new Unfit('probationMs')
  return probationMs
}

function readTickets(fields: Fields): GrantedTickets {
  const count = numberIn(fields, 'uses')
  if (count < 1 || count > usesMax) throw new Unfit('uses')
  return { count, salt: bytesIn(fields, 'salt', saltBytes) }
}
