// A role statement: one act in the history of a network's roles, as an announcement of kind `role`.
//
// Invariants: its name is a digest of what it says (and of its author, unless the network's key has signed it), and each author has a
// slot of its own: no statement displaces another, and the book of them only grows.
// `after` names the newest statements that its author knew, by which it has a place in the history that no clock decides; `by` the
// grant that its author acts by, unless the network's own key has signed it. What statements come to is for role-history.ts:
// whether this one is well formed depends on it alone, so that all peers pass on the same.

import { hash } from 'node:crypto'
import * as v from 'valibot'
import { PolyhistorError } from '../../errors.ts'
import { MessageWriter } from '../../formats/wire/message-bytes.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { AnnouncementKind } from '../announcements/announcement-kind.ts'
import { bytesToText, fieldsOf, Unfit } from '../membership/fields.ts'
import { type Membership, readMembership, writeMembership } from '../membership/membership.ts'
import { roles, siteCharsMax, sitesMax } from '../membership/role.ts'
import { isSigned, type PublicKey, type Seed, signFor } from '../membership/signing.ts'

const idChars = 22
const idBytes = 16
export const afterMax = 32
/** Takedowns and rules that go on counting after their author's role has ended: as many as an author may have. */
export const keepsMax = 12_000
const admittedMax = 1_000
const reasonCharsMax = 1_000
const peerCharsMax = 128
const delayMsMax = 366 * 86_400_000
const valueBytesMax = 480 * 1024

const id = v.pipe(v.string(), v.regex(/^[\w-]{22}$/))
const peer = v.pipe(v.string(), v.minLength(1), v.maxLength(peerCharsMax))
const reason = v.pipe(v.string(), v.maxLength(reasonCharsMax))
const keeps = v.pipe(v.array(id), v.maxLength(keepsMax))
const sites = v.pipe(
  v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(siteCharsMax))),
  v.maxLength(sitesMax),
)
const wholeUpTo = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(max))

const actSchema = v.variant('act', [
  /** By the network's key: from here on roles count. `keeps`: what had been said before and goes on counting. */
  v.strictObject({ act: v.literal('begin'), keeps }),
  /** `replaces`: this peer takes the place of that one, which is revoked. `keeps`: of what the peer (or the replaced one) had said. */
  v.strictObject({
    act: v.literal('grant'),
    peer,
    role: v.picklist(roles),
    sites,
    replaces: v.optional(peer),
    keeps,
    reason,
  }),
  /** `shuts`: the peer's invitation lets in nobody any more but those. */
  v.strictObject({
    act: v.literal('revoke'),
    peer,
    keeps,
    reason,
    shuts: v.optional(
      v.strictObject({
        invitation: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
        admitted: v.pipe(v.array(peer), v.maxLength(admittedMax)),
      }),
    ),
  }),
  /** By its author of itself: the role that its invitation carries. Checked by `readMembership`. */
  v.strictObject({ act: v.literal('join'), membership: v.looseObject({}) }),
  /** What is not given stays as it is. */
  v.strictObject({
    act: v.literal('settings'),
    threshold: v.optional(v.pipe(wholeUpTo(16), v.minValue(1))),
    takedownSignatures: v.optional(v.pipe(wholeUpTo(16), v.minValue(1))),
    takedownDelayMs: v.optional(wholeUpTo(delayMsMax)),
    /** Of jobs that plain members begin; 0: as many as they like. */
    jobPagesMax: v.optional(wholeUpTo(Number.MAX_SAFE_INTEGER)),
  }),
  v.strictObject({ act: v.literal('approve'), statement: id }),
  /** These announcements count no more. */
  v.strictObject({
    act: v.literal('overrule'),
    ids: v.pipe(v.array(id), v.minLength(1), v.maxLength(100)),
    reason,
  }),
])

const schema = v.strictObject({
  after: v.pipe(v.array(id), v.maxLength(afterMax)),
  by: v.optional(id),
  /** The author's clock, for people to read. Decides nothing. */
  atMs: wholeUpTo(8.64e15),
  what: actSchema,
  /** The network's key's, base64url. */
  founder: v.optional(v.pipe(v.string(), v.maxLength(100))),
})

type Written = v.InferOutput<typeof schema>
export type RoleAct =
  | Exclude<Written['what'], { act: 'join' }>
  | { readonly act: 'join'; readonly membership: Membership }
export type RoleSettings = Omit<Extract<RoleAct, { act: 'settings' }>, 'act'>

export interface RoleStatement {
  readonly id: string
  readonly author: PeerId
  readonly after: readonly string[]
  readonly by?: string | undefined
  readonly atMs: number
  readonly what: RoleAct
  /** Of the network's key, where it claims to have one: see `isFounders`. */
  readonly founder?: Uint8Array | undefined
  /** What that key signs. */
  readonly body: string
}

export type RoleDraft = Pick<RoleStatement, 'after' | 'by' | 'atMs' | 'what'>

const countMax = 4_000

export const roleKind: AnnouncementKind = {
  kind: 'role',
  slot: ({ peer: author }) => author,
  // A revocation must not wait for a clock to be set right.
  isTimeless: true,
  nameBytesMax: idChars,
  valueBytesMax,
  countMax,
  bytesMax: 8 * 1024 * 1024,
  changes: { burst: 10, perMinute: 1 },
  fault: ({ name, value, peer: author }) => {
    const statement = readRoleStatement(author, value)
    if (typeof statement === 'string') return statement
    if (statement.id !== name) return 'its name is not that of what it says'
    const { what, by, founder } = statement
    if (what.act === 'join') {
      if (what.membership.peer !== author) return 'only a peer itself says with which invitation it came'
      return by === undefined && founder === undefined ? undefined : 'a peer comes by its invitation alone'
    }
    if (what.act === 'begin' && founder === undefined)
      return 'only the network’s key begins a history of roles'
    return (by === undefined) === (founder === undefined) ? 'it does not say by which right' : undefined
  },
}

/** Gives why it is none. */
export function readRoleStatement(author: PeerId, value: Uint8Array): RoleStatement | string {
  try {
    const { founder, ...rest } = v.parse(schema, JSON.parse(Buffer.from(value).toString()), {
      abortEarly: true,
    })
    const { what } = rest
    return {
      ...rest,
      id:
        founder === undefined
          ? idOf('author', author, value)
          : idOf('founder', '', Buffer.from(bodyOf(rest))),
      author,
      what:
        what.act === 'join' ? { act: 'join', membership: readMembership(fieldsOf(what.membership)) } : what,
      ...(founder !== undefined && { founder: Buffer.from(founder, 'base64url') }),
      body: bodyOf(rest),
    }
  } catch (error) {
    if (error instanceof v.ValiError || error instanceof SyntaxError || error instanceof Unfit)
      return error.message
    if (error instanceof PolyhistorError) return error.message
    throw error
  }
}

/** With the network's key, where the author has it. */
export function writeRoleStatement(
  { after, by, atMs, what }: RoleDraft,
  founder?: { networkId: string; seed: Seed },
): Uint8Array {
  const said = what.act === 'join' ? { act: 'join', membership: writeMembership(what.membership) } : what
  const rest = { after, ...(by !== undefined && { by }), atMs, what: said }
  if (founder === undefined) return Buffer.from(JSON.stringify(rest))
  const signature = signFor('role', [founder.networkId, bodyOf(rest)], founder.seed)
  return Buffer.from(JSON.stringify({ ...rest, founder: bytesToText(signature) }))
}

export function isFounders(
  { founder, body }: Pick<RoleStatement, 'founder' | 'body'>,
  networkId: string,
  key: PublicKey,
): boolean {
  return founder !== undefined && isSigned('role', [networkId, body], founder, key)
}

/** Of what the network's key has signed it does not matter who brings it: said again it is the same, and adds nothing. */
function idOf(right: 'author' | 'founder', author: PeerId, value: Uint8Array): string {
  const bytes = new MessageWriter().text(right).text(author).fixed(value).finish()
  return hash('sha256', bytes, 'buffer').subarray(0, idBytes).toString('base64url')
}

/** An announcement's id as statements name it. */
export function textOfAnnouncementId(announcementId: Uint8Array): string {
  return Buffer.from(announcementId).toString('base64url')
}

/** Same text for the same statement, in whatever order its fields came. */
function bodyOf(rest: unknown): string {
  return hash('sha256', JSON.stringify(sorted(rest)), 'hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  )
}
