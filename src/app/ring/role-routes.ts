// Roles in the API: who is what, what was said to all peers by whom, and changing it.
//
//   GET  /api/v1/network/roles           members, who was revoked, what holds for the network
//   POST /api/v1/network/roles           {act: grant | revoke | settings | approve, …}
//   POST /api/v1/network/invitations     {role, sites, uses, until}: an invitation, signed where the network's key is
//   GET  /api/v1/network/release         which version of the program the network runs, by its key's word
//   POST /api/v1/network/release         {version, integrity}: says so, where the network was made
//   GET  /api/v1/network/announcements   role statements, takedowns and rules: who, when, and whether they count

import * as v from 'valibot'
import { jsonAnswer } from '../../api/answers.ts'
import { badParameter } from '../../api/api-error.ts'
import type { Route } from '../../api/route.ts'
import { object } from '../../api/v1/operation.ts'
import { addressesMax, usesMax } from '../../network/membership/invitation.ts'
import { roles as roleNames, siteCharsMax, sitesMax } from '../../network/membership/role.ts'
import type { NetworkReleases } from '../../network/releases/network-releases.ts'
import { isLaterVersion, isReleasable } from '../../network/releases/release.ts'
import type { InvitationDesk } from '../../network/roles/invitation-desk.ts'
import type { NetworkRoles, ToldStatement } from '../../network/roles/network-roles.ts'
import { RoleError } from '../../network/roles/role-error.ts'
import type { ToldRule } from '../../network/rules/network-rules.ts'
import type { ToldTakedown } from '../../network/takedowns/network-takedowns.ts'
import type { PeerId } from '../../platform/network/network.ts'

export interface RoleParts {
  readonly self: PeerId
  readonly hasNetworkKey: boolean
  readonly roles: NetworkRoles
  readonly invitations: Pick<InvitationDesk, 'invite'>
  readonly releases: NetworkReleases
  addresses(): string[]
  readonly takedowns: { told(): ToldTakedown[] }
  readonly rules: { told(): ToldRule[] }
}

const listedMax = 1_000

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const reason = v.optional(v.pipe(v.string(), v.maxLength(1_000)), '')
const whole = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER)))

const wanted = v.variant('act', [
  v.strictObject({
    act: v.literal('grant'),
    peer: text,
    role: v.picklist(roleNames),
    sites: v.optional(
      v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(253))), v.maxLength(200)),
      [],
    ),
    replaces: v.optional(text),
    reason,
  }),
  v.strictObject({
    act: v.literal('revoke'),
    peer: text,
    /** An administrator's or curator's is taken away, and it stays a member; without it, or a member's, it is out. */
    role: v.optional(v.picklist(roleNames)),
    undo: v.optional(v.boolean(), false),
    invitation: v.optional(v.boolean(), false),
    reason,
  }),
  v.strictObject({
    act: v.literal('settings'),
    threshold: whole,
    takedownSignatures: whole,
    takedownDelayMs: whole,
    jobPagesMax: whole,
  }),
  v.strictObject({ act: v.literal('approve'), id: text }),
])

const wantedInvitation = v.strictObject({
  role: v.optional(v.picklist(roleNames), 'member'),
  sites: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(siteCharsMax))), v.maxLength(sitesMax)),
    [],
  ),
  uses: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(usesMax)), 1),
  until: v.optional(v.pipe(v.string(), v.isoTimestamp())),
})

const name = { type: 'string' }

/** `find` gives the parts once they are there. */
export function roleRoutes(find: () => RoleParts): Route[] {
  const shared = { host: 'archive' as const }
  return [
    {
      ...shared,
      methods: ['GET'],
      path: '/api/v1/network/roles',
      operation: {
        summary: 'Who has which role in the network, who was revoked, and what holds for all',
        answer: object({
          peer: name,
          role: name,
          peers: { type: 'array', items: object({ peer: name, role: name }) },
          revoked: { type: 'array', items: name },
        }),
      },
      handle: () => jsonAnswer(rolesView(find())),
    },
    {
      ...shared,
      methods: ['POST'],
      path: '/api/v1/network/roles',
      writes: true,
      operation: { summary: 'Grants or revokes a role, approves, or sets what holds for the network' },
      handle: async (request) => jsonAnswer(statementView(await carryOut(find(), await request.json()))),
    },
    {
      ...shared,
      methods: ['POST'],
      path: '/api/v1/network/invitations',
      writes: true,
      operation: { summary: 'An invitation to the network, with a role, a number of uses and an end' },
      handle: async (request) => jsonAnswer(await invited(find(), await request.json()), 201),
    },
    {
      ...shared,
      methods: ['GET'],
      path: '/api/v1/network/release',
      operation: {
        summary: 'Which version of the program the network runs, signed by its key; null: none was named',
      },
      handle: () => jsonAnswer(find().releases.latest ?? null),
    },
    {
      ...shared,
      methods: ['POST'],
      path: '/api/v1/network/release',
      writes: true,
      operation: { summary: 'Says which version of the program the network runs, for volunteers to hear' },
      handle: async (request) => jsonAnswer(await released(find(), await request.json()), 201),
    },
    {
      ...shared,
      methods: ['GET'],
      path: '/api/v1/network/announcements',
      operation: {
        summary:
          'What was said to all peers of roles, takedowns and rules: by whom, when, and whether it counts',
        answer: object({ announcements: { type: 'array' } }),
      },
      handle: () => jsonAnswer({ announcements: announcementViews(find()) }),
    },
  ]
}

async function carryOut({ roles }: RoleParts, body: unknown): Promise<ToldStatement> {
  const read = v.safeParse(wanted, body)
  if (!read.success)
    throw badParameter('act', JSON.stringify(body) ?? '', `what it says: ${read.issues[0].message}`)
  const request = read.output
  if (request.act === 'approve') return roles.approve(request.id)
  if (request.act === 'settings') {
    const { act: _, ...settings } = request
    return roles.set(settings)
  }
  const { peer, role } = request
  if (request.act === 'grant') {
    const { sites, replaces } = request
    return roles.grant(peer, request.role, {
      sites,
      reason: request.reason,
      ...(replaces !== undefined && { replaces }),
    })
  }
  if (role === 'admin' || role === 'curator') return roles.takeAway(peer, role, request.reason)
  return roles.revoke(peer, { reason: request.reason, isUndone: request.undo, isShut: request.invitation })
}

async function invited({ invitations, addresses }: RoleParts, body: unknown): Promise<object> {
  const read = v.safeParse(wantedInvitation, body)
  if (!read.success)
    throw badParameter('invitation', JSON.stringify(body) ?? '', `what it says: ${read.issues[0].message}`)
  const { until, ...wanted } = read.output
  const begin = addresses().slice(0, addressesMax)
  const expiresAtMs = until === undefined ? undefined : Date.parse(until)
  const invitation = await invitations.invite({ ...wanted, expiresAtMs, addresses: begin })
  return { invitation, ...wanted, addresses: begin, ...(until !== undefined && { expiresAt: until }) }
}

async function released({ releases }: RoleParts, body: unknown): Promise<object> {
  const read = v.safeParse(v.strictObject({ version: text, integrity: text }), body)
  if (!read.success || !isReleasable(read.output.version, read.output.integrity))
    throw badParameter(
      'release',
      JSON.stringify(body) ?? '',
      'a version such as 1.2.3, and its integrity as npm view polyhistor@1.2.3 dist.integrity prints it: sha512-…',
    )
  if (!releases.canRelease)
    throw new RoleError(
      'role-lacking',
      'The network’s key signs releases: say so in the home where the network was made.',
    )
  const { latest } = releases
  if (latest !== undefined && !isLaterVersion(read.output.version, latest.version))
    throw badParameter(
      'version',
      read.output.version,
      `a later one than ${latest.version}, which was named before`,
    )
  return releases.release(read.output)
}

/** For the API, the console and the status page. */
export function rolesView({ roles, self, hasNetworkKey }: RoleParts): object {
  const { peers, revoked } = roles.roles()
  const { hasBegun, settings } = roles.history
  return {
    peer: self,
    role: peers.find(({ peer }) => peer === self)?.role ?? null,
    hasNetworkKey,
    hasBegun,
    settings,
    peers: peers.map(({ peer, role, sites }) => ({ peer, role, ...(sites.length > 0 && { sites }) })),
    revoked,
    pending: roles
      .statements()
      .filter(({ standing }) => standing === 'pending')
      .map(statementView),
  }
}

function announcementViews({ roles, takedowns, rules }: RoleParts): object[] {
  const said = [
    ...roles.statements().map((statement) => ({ atMs: statement.atMs, view: statementView(statement) })),
    ...takedowns.told().map(({ target, author, atMs, ...rest }) => ({
      atMs,
      view: { kind: 'takedown', author, at: timeOf(atMs), ...rest, target },
    })),
    ...rules.told().map(({ author, atMs, ...rest }) => ({
      atMs,
      view: { kind: 'rule', author, at: timeOf(atMs), ...rest },
    })),
  ]
  return said
    .sort((one, other) => other.atMs - one.atMs)
    .slice(0, listedMax)
    .map(({ view }) => view)
}

function statementView({ id, author, isFounders, atMs, what, standing, signers }: ToldStatement): object {
  const { act, ...rest } = what
  const { keeps, membership: _, ...told } = rest as { keeps?: string[]; membership?: unknown }
  return {
    ...{ kind: 'role', id, author, at: timeOf(atMs), act, ...told },
    ...(keeps !== undefined && keeps.length > 0 && { keeps: keeps.length }),
    ...(isFounders && { isFounders }),
    standing,
    counts: standing === 'counts',
    ...(standing === 'pending' && { signers }),
  }
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString()
}
