// `polyhistor network`: which network this home belongs to, a new one, invitations to it.

import {
  type CreatedNetwork,
  createHomeNetwork,
  describeHomeNetwork,
  inviteToHomeNetwork,
  isRole,
  probationMsMax,
  type Role,
  roles,
  usesMax,
} from '../../../app/ring/home-network.ts'
import { duration, wholeNumber } from '../../../config/kinds.ts'
import { siteOf } from '../../../model/url/site.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { preparePrivateHome } from '../../home-folder.ts'
import { optionValue } from '../../input/option-values.ts'
import type { PeerClient } from '../../peer/peer-client.ts'
import { askPeer, PeerNotRunning } from '../../peer/ring-question.ts'
import { runningPeer } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

export async function showNetwork({ home, terminal, isJson }: Context): Promise<ExitCode> {
  const network = await describeHomeNetwork(home.folder)
  if (isJson) await terminal.printJson(network ?? null)
  else if (network === undefined) {
    terminal.tell('This home has no network. Make one with: polyhistor network create NAME')
  } else {
    await terminal.printLine(`${network.name} (${network.kind})`)
    await terminal.printLine(`network  ${network.id}\npeer     ${network.peer}`)
  }
  return network === undefined ? exitCodes.no : exitCodes.ok
}

export async function createNetwork(
  context: Context,
  [name]: string[],
  options: { open?: boolean },
): Promise<undefined> {
  const { home } = context
  const kind = options.open ? 'open' : 'invited'
  await preparePrivateHome(context)
  const created = await createHomeNetwork(home.folder, name!, kind)
  await tell(context, created)
  return undefined
}

export async function inviteOthers(
  context: Context,
  _words: string[],
  options: {
    expires?: string
    until?: string
    uses?: string
    role?: string
    site?: string[]
    probation?: string
    trusted?: boolean
  },
): Promise<undefined> {
  const { home, configuration } = context
  const { role = 'member', site: sites = [] } = options
  if (!isRole(role))
    throw new UsageError(`--role is one of ${roles.join(', ')}, not ${JSON.stringify(role)}.`)
  if (sites.length > 0 && role !== 'curator') throw new UsageError('--site is for curators.')
  if (options.expires !== undefined && options.until !== undefined)
    throw new UsageError('Say --until or --expires, not both.')
  const expiresInMs =
    options.expires === undefined ? undefined : optionValue(duration, '--expires', options.expires)
  if (expiresInMs === 0) throw new UsageError('--expires must be longer than nothing.')
  const uses =
    options.uses === undefined ? undefined : optionValue(wholeNumber(1, usesMax), '--uses', options.uses)
  const addresses = await ownAddresses(context)
  const end = options.until === undefined ? { expiresInMs } : untilOf(options.until)
  const probationMs = probationOf(role, options, configuration.values['network.probation'])
  const wanted = { addresses, ...end, uses, role, sites: sites.map(siteFromTyped), probationMs }
  const own = await describeHomeNetwork(home.folder)
  const running = own === undefined || own.canInvite ? undefined : await runningPeer(context)
  if (own === undefined || running === undefined)
    await tell(context, await inviteToHomeNetwork(home.folder, wanted))
  else if (probationMs !== undefined)
    throw new UsageError(
      'Invitations with a probation are made in the home where the network was made. Run this there, or say --trusted.',
    )
  else await tell(context, { ...own, ...(await askToInvite(running, wanted)) })
  return undefined
}

/** undefined: they are trusted. Who is given more than a member's role is. */
function probationOf(
  role: Role,
  { probation, trusted }: { probation?: string; trusted?: boolean },
  settingMs: number,
): number | undefined {
  if (probation !== undefined && trusted) throw new UsageError('Say --probation or --trusted, not both.')
  if (probation !== undefined && role !== 'member') throw new UsageError('--probation is for members.')
  if (trusted || role !== 'member') return undefined
  const probationMs = probation === undefined ? settingMs : optionValue(duration, '--probation', probation)
  if (probationMs > probationMsMax) throw new UsageError('A probation takes a year at most.')
  return probationMs === 0 ? undefined : probationMs
}

/** Of an administrator: the peer with the network's key signs it. */
function askToInvite(
  running: PeerClient,
  { expiresInMs, expiresAtMs, uses, role, sites }: Parameters<typeof inviteToHomeNetwork>[1],
): Promise<Omit<CreatedNetwork, 'id' | 'name' | 'kind'>> {
  const untilMs = expiresInMs === undefined ? expiresAtMs : Math.round(Date.now() + expiresInMs)
  return running.post('/api/v1/network/invitations', {
    role,
    sites,
    ...(uses !== undefined && { uses }),
    ...(untilMs !== undefined && { until: new Date(untilMs).toISOString() }),
  })
}

export function siteFromTyped(text: string): string {
  return siteOf(urlFromTyped(text).host)
}

/** A date, a time, or how long from now. */
function untilOf(text: string): { expiresInMs: number } | { expiresAtMs: number } {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text)
  const expiresAtMs = isTime ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(expiresAtMs)) {
    if (expiresAtMs <= Date.now()) throw new UsageError(`--until ${text} is over.`)
    return { expiresAtMs }
  }
  if (isTime) throw new UsageError(`--until ${text} is no time.`)
  const expiresInMs = optionValue(duration, '--until', text)
  if (expiresInMs === 0) throw new UsageError('--until must be later than now.')
  return { expiresInMs }
}

/** Where the running peer is reached; an invitation without it needs --join too. */
async function ownAddresses(context: Context): Promise<string[]> {
  try {
    const { addresses } = await askPeer<{ addresses?: string[] }>(context, '/api/v1/ring')
    return addresses ?? []
  } catch (error) {
    if (error instanceof PeerNotRunning) return []
    throw error
  }
}

async function tell({ terminal, isJson, isQuiet }: Context, created: CreatedNetwork): Promise<void> {
  if (isJson) return terminal.printJson(created)
  const { name, kind, id, invitation, addresses, expiresAt, uses, role, sites, probationMs } = created
  if (!isQuiet) {
    const who =
      uses === undefined ? 'Other homes join' : uses === 1 ? 'One home joins' : `Up to ${uses} homes join`
    const as =
      role === undefined || role === 'member' ? '' : ` as ${role}${sites ? ` of ${sites.join(', ')}` : ''}`
    const command = role === 'volunteer' ? 'volunteer' : 'peer'
    terminal.tell(`Network ${name} (${kind}), ${id}. ${who}${as} with:`)
    terminal.tell(
      `  polyhistor ${command} --invite INVITATION${addresses.length === 0 ? ' --join HOST:PORT' : ''}`,
    )
    if (expiresAt !== undefined) terminal.tell(`until ${expiresAt}.`)
    if (probationMs !== undefined)
      terminal.tell(
        `They keep a spare copy first, and get places on the ring when they have proved themselves for ${duration.print(probationMs)}.`,
      )
  }
  await terminal.printLine(invitation)
}
