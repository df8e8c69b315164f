// Action request: what the owner asks of the console, read from JSON or a form: {action: 'pause', site: 'example.org'}.

import { readTarget } from '../crawl/rules/written-rule.ts'
import { type RuleTarget, targetWords } from '../model/jobs/site-rule.ts'
import { type Url, urlFromTyped } from '../model/url/url.ts'
import { ActionError } from './action-error.ts'

/** What there is to be done, and how the log calls it. */
export const actionWords = {
  'add-site': 'Add a site',
  reseed: 'Crawl a site anew',
  pause: 'Pause',
  resume: 'Resume',
  remove: 'Remove from the crawl',
  allow: 'Allow',
  deny: 'Deny',
  'revisit-every': 'Set the time between visits',
  'revisit-now': 'Visit now',
  'take-down': 'Take down',
  move: 'Move to another peer',
  scrub: 'Read everything for rot',
  compact: 'Give back dead space',
  grant: 'Give a role',
  revoke: 'Revoke a peer',
  approve: 'Approve',
  restart: 'Restart this peer',
  drain: 'Hand everything over and leave',
} as const

export type ActionKind = keyof typeof actionWords
export const actionKinds = Object.keys(actionWords) as readonly ActionKind[]

export interface ActionRequest {
  readonly kind: ActionKind
  /** Of what is about a site, a host or a URL. */
  readonly target: RuleTarget | undefined
  /** Of what begins a crawl. */
  readonly url: Url | undefined
  /** Of revisit-every: 1d, 1h-7d, never, or none. */
  readonly every: string | undefined
  /** Of a takedown, a grant or a revocation. */
  readonly reason: string
  /** Of a move: where to. Of a grant or a revocation: whose. */
  readonly peer: string | undefined
  /** Of a grant. */
  readonly role: string | undefined
  /** Of an approval: of what. */
  readonly statement: string | undefined
}

const textMax = 2_000
const targeted: ReadonlySet<ActionKind> = new Set([
  'pause',
  'resume',
  'remove',
  'allow',
  'deny',
  'revisit-every',
  'take-down',
  'move',
])

/** Throws what a malformed URL or rule throws, or 'action-malformed'. */
export function readAction(written: Readonly<Record<string, unknown>>): ActionRequest {
  const kind = actionKinds.find((known) => known === written.action)
  if (kind === undefined)
    throw new ActionError(
      'action-malformed',
      `Say what is to be done: "action" is one of ${actionKinds.join(', ')}.`,
    )
  const target = targeted.has(kind) ? readTarget(namedIn(written)) : undefined
  if (target?.kind === 'all' || target?.kind === 'pattern')
    throw new ActionError(
      'action-malformed',
      'An action is for a site, a host or a URL. Rules can be for more: see /rules.',
    )
  return {
    kind,
    target,
    url: urlOf(kind, written),
    every: textOf(written.every),
    reason: textOf(written.reason) ?? '',
    peer: textOf(written.peer),
    role: textOf(written.role),
    statement: textOf(written.statement),
  }
}

/** For the log: what it was about. */
export function aboutWords({ kind, target, url, peer, role, statement }: ActionRequest): string {
  if (kind === 'grant') return `${peer ?? ''} as ${role ?? ''}`
  if (kind === 'revoke') return peer ?? ''
  if (kind === 'approve') return statement ?? ''
  return target !== undefined ? targetWords(target) : (url?.href ?? '')
}

function namedIn({ site, host, url }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { site, host, url }
}

function urlOf(kind: ActionKind, { url, site }: Readonly<Record<string, unknown>>): Url | undefined {
  if (kind === 'revisit-now' || kind === 'add-site') return urlFromTyped(textOf(url) ?? '')
  if (kind === 'reseed') return urlFromTyped(textOf(url) ?? textOf(site) ?? '')
  return undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, textMax) : undefined
}
