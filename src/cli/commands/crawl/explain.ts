// `polyhistor explain URL`: whether and when a URL would be fetched, and why.
//
// With --robots-file it answers offline, from that file alone: `allowed` (exit code 0) or `disallowed` (1), and the line
// that decides. Without, it asks what a crawl would ask: the address guard, the site's robots.txt (fetched if need be, as
// a crawl does), the host's pace, and whether the archive has it already.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  explainRobots,
  parseAddressRange,
  type RobotsExplanation,
  userAgentOf,
} from '../../../app/crawl/crawler.ts'
import { explainUrl, printRule, type UrlExplanation } from '../../../app/crawl/explain-url.ts'
import { printTimestamp } from '../../../model/timestamp.ts'
import { type Url, urlFromTyped } from '../../../model/url/url.ts'
import { version } from '../../../version.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { InputFileError } from '../../input/input-file-error.ts'
import { formatTable } from '../../output/table.ts'
import { withArchiveToRead } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

interface Options {
  robotsFile?: string
  agent?: string
  allowAddress?: string[]
}

export async function explain(context: Context, [text]: string[], options: Options): Promise<ExitCode> {
  const url = urlFromTyped(text!)
  const agent = options.agent ?? userAgentOf(version)
  if (options.robotsFile !== undefined) return explainOffline(context, url, options.robotsFile, agent)
  const allowed = (options.allowAddress ?? []).map(parseAddressRange)
  const { configuration } = context
  const mode = configuration.values['crawl.browser']
  // Nothing is shown: a browser is not looked for, and none is fetched.
  const browser = { mode, path: '', behaves: false, isRequired: false }
  const explanation = await withArchiveToRead(context, {
    store: (store) => explainUrl(join(context.home.folder, 'crawl'), store, url, { agent, allowed, browser }),
    peer: (peer) => {
      if (options.agent !== undefined || allowed.length > 0)
        throw new UsageError('The running peer answers for itself: leave out --agent and --allow-address.')
      return peer.get<UrlExplanation>('/api/v1/explain', { url: url.href })
    },
  })
  await show(context, url, explanation)
  return explanation.isAllowed ? exitCodes.ok : exitCodes.no
}

async function explainOffline(
  { terminal, isJson }: Context,
  url: Url,
  file: string,
  agent: string,
): Promise<ExitCode> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new InputFileError(file, error)
  })
  const explanation = explainRobots(bytes, agent, url)
  const verdict = explanation.isAllowed ? 'allowed' : 'disallowed'
  if (isJson) await terminal.printJson({ url: url.href, verdict, ...explanation })
  else await terminal.printLine(`${verdict}  ${reasonOf(explanation)}`)
  return explanation.isAllowed ? exitCodes.ok : exitCodes.no
}

function reasonOf({ rule, group, token }: RobotsExplanation): string {
  if (rule !== undefined) return `${printRule(rule)} (group ${group?.agent ?? '*'})`
  if (group === undefined) return `no group of this file is for ${token || 'this agent'}`
  return `no rule of the group ${group.agent} matches`
}

function scopeRow({ seeds, outside, isKnown }: UrlExplanation['crawls'][number]): string[] {
  const verdict = isKnown
    ? 'has met it'
    : outside === undefined
      ? 'would take it in'
      : `leaves it out: ${outside}`
  return ['scope', `the crawl of ${seeds.join(', ')} ${verdict}`]
}

function ruleRow({ matter, value, rule, setAt, setBy }: UrlExplanation['rules'][number]): string[] {
  const by = setBy === null ? '' : ` by …${setBy.slice(-8)}`
  const when = setAt === null ? '' : `, set ${setAt.slice(0, 16).replace('T', ' ')}${by}`
  return [`rule: ${matter}`, `${value} (the rule for ${rule}${when})`]
}

async function show({ terminal, isJson }: Context, url: Url, explanation: UrlExplanation): Promise<void> {
  const { isAllowed, address, rules, robots, browser, allowedAtMs, lastVersion, nextVisitAtMs, crawls } =
    explanation
  const verdict = isAllowed ? 'allowed' : 'disallowed'
  if (isJson) return terminal.printJson({ url: url.href, verdict, ...explanation })
  const rows = [
    ['address', address],
    ...rules.map(ruleRow),
    ['robots.txt', robots],
    ['browser', browser],
    ['schedule', allowedAtMs === undefined ? 'at once' : `not before ${new Date(allowedAtMs).toISOString()}`],
    ...(nextVisitAtMs === undefined
      ? []
      : [['next visit', `${new Date(nextVisitAtMs).toISOString()}, by a peer that keeps it fresh`]]),
    ...(crawls.length === 0 ? [['scope', 'no crawl has been started here']] : crawls.map(scopeRow)),
    [
      'archive',
      lastVersion === undefined ? 'has no version yet' : `has a version of ${printTimestamp(lastVersion)}`,
    ],
  ]
  await terminal.printLine(verdict)
  await terminal.printLine(formatTable(['what', 'why'], rows, terminal.width))
}
