// `polyhistor network roles`, `grant`, `revoke`, `approve`, `settings` and `announcements`: who may do what in the network, and who said
// what to all of it.

import { describeHomeNetwork, isRole, type Role, roles } from '../../../app/ring/home-network.ts'
import { duration, wholeNumber } from '../../../config/kinds.ts'
import type { Context } from '../../context.ts'
import { optionValue } from '../../input/option-values.ts'
import { formatTable } from '../../output/table.ts'
import type { PeerClient } from '../../peer/peer-client.ts'
import { PeerNotRunning } from '../../peer/ring-question.ts'
import { runningPeer } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'
import { siteFromTyped } from './network.ts'

interface RolesAnswer {
  readonly peer: string
  readonly role: Role | null
  readonly hasNetworkKey: boolean
  readonly hasBegun: boolean
  readonly settings: Readonly<
    Record<'threshold' | 'takedownSignatures' | 'takedownDelayMs' | 'jobPagesMax', number>
  >
  readonly peers: readonly {
    readonly peer: string
    readonly role: Role
    readonly sites?: readonly string[]
  }[]
  readonly revoked: readonly string[]
  readonly pending: readonly Said[]
}

interface Said {
  readonly kind: string
  readonly id?: string
  readonly author: string
  readonly at: string
  readonly act?: string
  readonly peer?: string
  readonly role?: string
  readonly rule?: string
  readonly state?: string
  readonly reason?: string
  readonly standing?: 'counts' | 'pending' | 'void'
  readonly counts: boolean
  readonly target?: { readonly kind: string; readonly url?: string; readonly site?: string }
  readonly signers?: readonly string[]
  readonly isFounders?: boolean
  readonly isRemoved?: boolean
}

export async function showRoles(context: Context): Promise<undefined> {
  const { terminal, isJson } = context
  const answer = await (await peerOf(context)).get<RolesAnswer>('/api/v1/network/roles')
  if (isJson) {
    await terminal.printJson(answer)
    return undefined
  }
  const { peer: self, peers, revoked, pending, hasNetworkKey, hasBegun } = answer
  const rows = [
    ...peers.map(({ peer, role, sites }) => [
      peer,
      role,
      sites?.join(', ') ?? (role === 'curator' ? 'all sites' : ''),
      peer === self ? `this peer${hasNetworkKey ? ', with the network’s key' : ''}` : '',
    ]),
    ...revoked.map((peer) => [peer, 'revoked', '', peer === self ? 'this peer' : '']),
  ]
  await terminal.printLine(formatTable(['peer', 'role', 'sites', ''], rows, terminal.width))
  if (!hasBegun)
    terminal.tell(
      'Roles have not begun: the home in which this network was made has to be started with this version.',
    )
  for (const said of pending)
    await terminal.printLine(
      `Waits for more signatures: ${wordsOf(said)}. Approve it with: polyhistor network approve ${said.id}`,
    )
  return undefined
}

export async function grantRole(
  context: Context,
  [peer, role]: string[],
  options: { site?: string[]; replaces?: string; reason?: string },
): Promise<undefined> {
  if (!isRole(role))
    throw new UsageError(`A role is one of ${roles.join(', ')}, not ${JSON.stringify(role)}.`)
  const { site = [], replaces, reason = '' } = options
  if (site.length > 0 && role !== 'curator') throw new UsageError('--site is for curators.')
  await say(context, {
    act: 'grant',
    peer: endingOf(peer!),
    role,
    reason,
    sites: site.map(siteFromTyped),
    ...(replaces !== undefined && { replaces: endingOf(replaces) }),
  })
  return undefined
}

export async function revokeRole(
  context: Context,
  [peer, role]: string[],
  options: { undo?: boolean; invitation?: boolean; reason?: string },
): Promise<undefined> {
  if (role !== undefined && !isRole(role))
    throw new UsageError(`A role is one of ${roles.join(', ')}, not ${JSON.stringify(role)}.`)
  const { undo = false, invitation = false, reason = '' } = options
  await say(context, {
    act: 'revoke',
    peer: endingOf(peer!),
    ...(role !== undefined && { role }),
    undo,
    invitation,
    reason,
  })
  return undefined
}

export async function approveStatement(context: Context, [id]: string[]): Promise<undefined> {
  await say(context, { act: 'approve', id })
  return undefined
}

export async function setNetwork(
  context: Context,
  _words: string[],
  options: { threshold?: string; takedownSignatures?: string; takedownDelay?: string; jobPages?: string },
): Promise<undefined> {
  const { threshold, takedownSignatures, takedownDelay, jobPages } = options
  const few = wholeNumber(1, 16)
  const wanted = {
    ...(threshold !== undefined && { threshold: optionValue(few, '--threshold', threshold) }),
    ...(takedownSignatures !== undefined && {
      takedownSignatures: optionValue(few, '--takedown-signatures', takedownSignatures),
    }),
    ...(takedownDelay !== undefined && {
      takedownDelayMs: optionValue(duration, '--takedown-delay', takedownDelay),
    }),
    ...(jobPages !== undefined && {
      jobPagesMax: optionValue(wholeNumber(0, Number.MAX_SAFE_INTEGER), '--job-pages', jobPages),
    }),
  }
  if (Object.keys(wanted).length === 0) {
    const { settings } = await (await peerOf(context)).get<RolesAnswer>('/api/v1/network/roles')
    if (context.isJson) await context.terminal.printJson(settings)
    else
      for (const [name, value] of Object.entries(settings))
        await context.terminal.printLine(`${name}  ${value}`)
    return undefined
  }
  await say(context, { act: 'settings', ...wanted })
  return undefined
}

export async function showAnnouncements(context: Context): Promise<undefined> {
  const { terminal, isJson } = context
  const path = '/api/v1/network/announcements'
  const { announcements } = await (await peerOf(context)).get<{ announcements: Said[] }>(path)
  if (isJson) {
    for (const said of announcements) await terminal.printJson(said)
    return undefined
  }
  const rows = announcements.map((said) => [
    said.at,
    `${said.author}${said.isFounders ? ' (the network’s key)' : ''}`,
    wordsOf(said),
    said.standing ?? (said.counts ? 'counts' : 'void'),
    said.reason ?? '',
  ])
  if (rows.length > 0)
    await terminal.printLine(formatTable(['when', 'who', 'what', '', 'why'], rows, terminal.width))
  return undefined
}

async function say(context: Context, body: object): Promise<void> {
  const { terminal, isJson } = context
  const said = await (await peerOf(context)).post<Said>('/api/v1/network/roles', body)
  if (isJson) return terminal.printJson(said)
  const words = wordsOf(said)
  if (said.standing === 'pending')
    return terminal.printLine(
      `${words}: it waits for more administrators to sign it, with: polyhistor network approve ${said.id}`,
    )
  return terminal.printLine(`${words}. All peers that can be reached know it now.`)
}

async function peerOf(context: Context): Promise<PeerClient> {
  if ((await describeHomeNetwork(context.home.folder)) === undefined)
    throw new UsageError('This home has no network, so nobody has a role in it.')
  const running = await runningPeer(context)
  if (running === undefined) throw new PeerNotRunning(context.home.folder)
  return running
}

/** As the status prints it. */
function endingOf(peer: string): string {
  return peer.replace(/^(…|\.\.\.)/, '')
}

function wordsOf({ kind, act, peer, role, rule, state, target, id, isRemoved }: Said): string {
  if (kind === 'takedown')
    return `${state === 'released' ? 'release of' : 'takedown of'} ${target?.site ?? target?.url}`
  if (kind === 'rule') return `${isRemoved ? 'end of the rule' : 'rule'} for ${rule}`
  if (act === 'grant') return `${peer} is ${role}`
  if (act === 'revoke') return `${peer} is revoked`
  if (act === 'begin') return 'Roles begin'
  if (act === 'join') return 'joined with a role by invitation'
  if (act === 'approve') return 'approval'
  if (act === 'overrule') return 'others are overruled'
  return act === 'settings' ? 'settings of the network' : (id ?? kind)
}
