// `polyhistor watch`: pages that somebody wants to be told of: made, shown, changed, tried out, paused and removed.

import { withWatches } from '../../../app/changes/open-watches.ts'
import type { WatchService } from '../../../app/changes/watch-json.ts'
import { trialJson, watchJson, watchListJson } from '../../../app/changes/watch-json.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { formatTable, minute } from '../../output/table.ts'
import type { PeerClient } from '../../peer/peer-client.ts'
import { withArchive, withArchiveToRead } from '../../peer/running-peer.ts'

interface Options {
  prefix?: boolean
  site?: boolean
  name?: string
  selector?: string
  mainText?: boolean
  ignore?: string[]
  ignorePattern?: string[]
  leastChange?: string
  cosmetic?: boolean
  every?: string
  browser?: string
  page?: string
}

interface ShownSighting {
  readonly time: string
  readonly url: string
  readonly words: string
  readonly difference: readonly string[]
  readonly moreDifferences: number
  readonly compare: string | null
}

interface Shown extends Record<string, unknown> {
  readonly id: string
  readonly title: string
  readonly url?: string
  readonly prefix?: string
  readonly site?: string
  readonly paused: boolean
  readonly told: number
  readonly feed: string
  readonly trouble: string | null
  readonly part: string
  readonly archiving: string | null
  readonly history: readonly ShownSighting[]
}

interface ShownTrial {
  readonly url: string
  readonly capturedAt: string
  readonly found: boolean
  readonly lines: readonly string[]
  readonly lineCount: number
}

const path = '/api/v1/watches'

export async function addWatch(context: Context, [url]: string[], options: Options): Promise<ExitCode> {
  const target = options.prefix ? 'prefix' : options.site ? 'site' : 'url'
  const written = { [target]: url, ...writtenOf(options) }
  let runsHere = false
  const watch = await change(
    context,
    (watches) => watches.add(written).then((view) => watchJson(view, '')),
    (peer) => {
      runsHere = true
      return peer.post(path, written)
    },
  )
  if (context.isJson) await context.terminal.printJson(watch)
  else {
    await context.terminal.printLine(`Watch ${watch.id}: ${watch.title}`)
    if (watch.trouble !== null) context.terminal.tell(watch.trouble)
    if (watch.archiving !== null)
      context.terminal.tell(
        watch.archiving === 'wanted'
          ? `It is not in the archive yet, and is fetched ${runsHere ? 'soon' : 'when a peer runs'}.`
          : 'It is not in the archive yet, and is being fetched now.',
      )
    if (!runsHere) context.terminal.tell('It is followed when a peer runs: start one with polyhistor peer.')
  }
  return exitCodes.ok
}

export async function listWatches(
  context: Context,
  _words: string[],
  { limit }: { limit: number },
): Promise<ExitCode> {
  const shown = await withArchiveToRead<{
    watches: Shown[]
    count: number
    missed?: { from: string; to: string }
  }>(context, {
    store: (store) =>
      withWatches(context.home.folder, store, async ({ watches }) =>
        watchListJson(watches.list({ limit }), watches.count, watches.gap, ''),
      ) as Promise<never>,
    peer: (peer) => peer.get(path, { limit: String(limit) }),
  })
  const { terminal } = context
  if (context.isJson) await terminal.printJson(shown)
  else if (shown.count === 0)
    await terminal.printLine('Nothing is watched. Begin with: polyhistor watch add URL')
  else {
    const rows = shown.watches.map((watch) => [
      watch.id.slice(0, 8),
      watch.title,
      partOf(watch),
      stateOf(watch),
    ])
    await terminal.printLine(formatTable(['watch', 'of', 'part', 'last'], rows, terminal.width))
    if (shown.count > shown.watches.length)
      terminal.tell(`${shown.count - shown.watches.length} more: --limit shows them.`)
    if (shown.missed)
      terminal.tell(
        `Changes from ${minute(shown.missed.from)} to ${minute(shown.missed.to)} were not seen: the log of changes did not reach back so far.`,
      )
  }
  return exitCodes.ok
}

export async function showWatch(context: Context, [id]: string[]): Promise<ExitCode> {
  const watch = await withArchiveToRead<Shown>(context, {
    store: (store) =>
      withWatches(
        context.home.folder,
        store,
        async ({ watches }) => watchJson(watches.find(id!), '') as Shown,
      ),
    peer: (peer) => peer.get(`${path}/${encodeURIComponent(id!)}`),
  })
  const { terminal } = context
  if (context.isJson) {
    await terminal.printJson(watch)
    return exitCodes.ok
  }
  await terminal.printLine(`${watch.title}\n  watch     ${watch.id}${watch.paused ? ' (paused)' : ''}`)
  for (const name of [
    'url',
    'prefix',
    'site',
    'selector',
    'mainText',
    'ignore',
    'ignorePatterns',
    'leastChange',
    'every',
    'browser',
  ])
    if (watch[name] !== undefined) await terminal.printLine(`  ${name.padEnd(9)} ${String(watch[name])}`)
  await terminal.printLine(`  feed      ${watch.feed}`)
  if (watch.trouble !== null) await terminal.printLine(`  !         ${watch.trouble}`)
  if (watch.history.length === 0) await terminal.printLine('Nothing was seen of it yet.')
  for (const { time, words, url, difference, moreDifferences } of watch.history) {
    const where = watch.url === undefined ? `  ${url}` : ''
    await terminal.printLine(printable(`${minute(time)}  ${words}${where}`))
    for (const line of difference) await terminal.printLine(printable(`    ${line}`))
    if (moreDifferences > 0) await terminal.printLine(`    and ${moreDifferences} more`)
  }
  return exitCodes.ok
}

export async function changeWatch(context: Context, [id]: string[], options: Options): Promise<ExitCode> {
  const written = Object.fromEntries(
    Object.entries(writtenOf(options)).map(([name, value]) => [name, isNone(value) ? null : value]),
  )
  const watch = await change(
    context,
    (watches) => watches.change(id!, written).then((view) => watchJson(view, '')),
    (peer) => peer.patch(`${path}/${encodeURIComponent(id!)}`, written),
  )
  if (context.isJson) await context.terminal.printJson(watch)
  else {
    context.terminal.tell(`Changed watch ${watch.id}: ${watch.title}`)
    if (watch.trouble !== null) context.terminal.tell(watch.trouble)
  }
  return exitCodes.ok
}

export async function testWatch(context: Context, [word]: string[], options: Options): Promise<ExitCode> {
  const isId = /^[0-9a-f]{4,8}(?:-[0-9a-f-]*)?$/i.test(word!)
  const { page } = options
  const said = writtenOf(options)
  const trial = await withArchiveToRead<ShownTrial>(context, {
    store: (store) =>
      withWatches(context.home.folder, store, async ({ watches }) => {
        const before = isId ? settingsIn(watchJson(watches.find(word!), '') as Shown) : { url: word }
        return trialJson(await watches.trial({ ...before, ...said }, page)) as ShownTrial
      }),
    peer: async (peer) => {
      const before = isId
        ? settingsIn(await peer.get<Shown>(`${path}/${encodeURIComponent(word!)}`))
        : { url: word }
      return peer.post('/api/v1/watch-trials', { ...before, ...said, ...(page !== undefined && { page }) })
    },
  })
  const { terminal } = context
  if (context.isJson) await terminal.printJson(trial)
  else if (!trial.found) terminal.tell(`Nothing is selected on ${trial.url} of ${minute(trial.capturedAt)}.`)
  else {
    terminal.tell(`On ${trial.url} of ${minute(trial.capturedAt)}:`)
    for (const line of trial.lines) await terminal.printLine(printable(line))
    if (trial.lineCount > trial.lines.length)
      terminal.tell(`and ${trial.lineCount - trial.lines.length} more lines`)
  }
  return trial.found ? exitCodes.ok : exitCodes.no
}

export function pauseWatch(context: Context, [id]: string[]): Promise<ExitCode> {
  return act(
    context,
    `Paused watch ${id}.`,
    (watches) => watches.setPaused(id!, true),
    (peer) => peer.post(`${path}/${encodeURIComponent(id!)}/pause`),
  )
}

export function resumeWatch(context: Context, [id]: string[]): Promise<ExitCode> {
  return act(
    context,
    `Resumed watch ${id}.`,
    (watches) => watches.setPaused(id!, false),
    (peer) => peer.post(`${path}/${encodeURIComponent(id!)}/resume`),
  )
}

export function removeWatch(context: Context, [id]: string[]): Promise<ExitCode> {
  return act(
    context,
    `Removed watch ${id}.`,
    (watches) => watches.remove(id!),
    (peer) => peer.delete(`${path}/${encodeURIComponent(id!)}`),
  )
}

async function act(
  context: Context,
  done: string,
  store: (watches: WatchService) => Promise<unknown>,
  peer: (peer: PeerClient) => Promise<unknown>,
): Promise<ExitCode> {
  await change(context, (watches) => store(watches).then(() => ({})), peer)
  if (context.isJson) await context.terminal.printJson({ ok: true })
  else context.terminal.tell(done)
  return exitCodes.ok
}

function change(
  context: Context,
  store: (watches: WatchService) => Promise<object>,
  peer: (peer: PeerClient) => Promise<unknown>,
): Promise<Shown> {
  return withArchive<Shown>(context, {
    store: (opened) =>
      withWatches(context.home.folder, opened, ({ watches }) => store(watches)) as Promise<Shown>,
    peer: (client) => peer(client) as Promise<Shown>,
  })
}

/** As the API takes it. */
function writtenOf({
  prefix,
  site,
  page,
  ignorePattern,
  leastChange,
  ...rest
}: Options): Record<string, unknown> {
  const written = { ...rest, ignorePatterns: ignorePattern, leastChange: share(leastChange) }
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined))
}

function share(written: string | undefined): number | string | undefined {
  return written === undefined || isNone(written) ? written : Number(written)
}

function isNone(value: unknown): boolean {
  return value === 'none' || (Array.isArray(value) && value.length === 1 && value[0] === 'none')
}

function settingsIn(watch: Shown): Record<string, unknown> {
  const names = ['url', 'prefix', 'site', 'selector', 'mainText', 'ignore', 'ignorePatterns']
  return Object.fromEntries(
    names.filter((name) => watch[name] !== undefined).map((name) => [name, watch[name]]),
  )
}

function partOf({ selector, mainText }: Shown): string {
  return selector !== undefined ? String(selector) : mainText ? 'main text' : ''
}

function stateOf({ paused, trouble, archiving, history }: Shown): string {
  const [last] = history
  const words =
    last === undefined
      ? archiving === null
        ? 'nothing yet'
        : archiving === 'wanted'
          ? 'to be archived'
          : 'being archived'
      : `${minute(last.time)} ${last.words}`
  return [...(paused ? ['paused'] : []), ...(trouble === null ? [] : [`! ${trouble}`]), words].join('; ')
}

function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?')
}
