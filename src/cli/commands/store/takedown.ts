// `polyhistor takedown`: hides a URL, prefix or site, and brings it back.

import { checkHomeMayTakeDown } from '../../../app/ring/home-network.ts'
import type { TakedownTarget } from '../../../app/store/store-library.ts'
import { hasSitesUnder } from '../../../model/url/site.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import type { TakedownOutcome, TakedownWait } from '../../../network/takedowns/network-takedowns.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { isConfirmed } from '../../input/confirmation.ts'
import { type SelectionOptions, selectionOf } from '../../input/option-values.ts'
import { formatTable } from '../../output/table.ts'
import { withArchive, withArchiveToRead } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

interface Options extends SelectionOptions {
  reason: string
  yes?: boolean
  list?: boolean
  release?: boolean
  now?: boolean
}

const namedMax = 10

export async function takeDown(context: Context, _words: string[], options: Options): Promise<ExitCode> {
  if (options.list) return listTakedowns(context)
  const target = targetOf(options)
  if (options.release && options.now) throw new UsageError('Say --release or --now, not both.')
  return options.release ? release(context, target, options) : hide(context, target, options)
}

async function hide(context: Context, target: TakedownTarget, options: Options): Promise<ExitCode> {
  const { terminal, isJson } = context
  const { reason, now: isNow = false } = options
  const name = nameOf(target)
  const what = target.kind === 'site' && hasSitesUnder(name) ? 'all sites under' : `the ${target.kind}`
  const question = isNow
    ? `Destroy ${what} ${name} on this peer? There is no way back.`
    : `Hide ${what} ${name}?`
  if (!options.yes && !(await isConfirmed(question)))
    throw new UsageError('Nothing was taken down. Say --yes to do it without being asked.')
  const { captures, unheard, waitsFor } = await withArchive<TakedownOutcome>(context, {
    store: async (store) => {
      if (!isNow) await checkHomeMayTakeDown(context.home.folder)
      return { captures: await store.takedown(target, reason, { isNow }), unheard: [] }
    },
    peer: (peer) => {
      const path = isNow ? '/api/v1/takedowns/destroy' : '/api/v1/takedowns'
      return peer.post<TakedownOutcome>(path, { [target.kind]: name, reason })
    },
  })
  if (isJson) await terminal.printJson({ ...target, captures, unheard, ...(waitsFor && { waitsFor }) })
  else if (waitsFor !== undefined) await terminal.printLine(waitLine(name, waitsFor))
  else {
    const next = isNow
      ? 'their bytes go with: polyhistor store compact'
      : `bring them back with: polyhistor takedown --release --${target.kind} ${name}`
    await terminal.printLine(`Taken down: ${name}. ${captures} captures are hidden; ${next}`)
    if (unheard.length > 0) await terminal.printLine(unheardLine(unheard))
  }
  return exitCodes.ok
}

function waitLine(name: string, { signatures, until }: TakedownWait): string {
  const others =
    signatures === 1 ? 'another curator or administrator' : `${signatures} more curators or administrators`
  if (signatures > 0) return `Said, and not in force: ${others} must take ${name} down, too.`
  return `Said: ${name} is hidden from ${until ?? 'soon'} on, unless an administrator objects (takedown --release).`
}

/** They are told of it as soon as they can be reached. */
export function unheardLine(unheard: readonly string[]): string {
  const [who, they] = unheard.length === 1 ? ['A peer', 'it hears'] : [`${unheard.length} peers`, 'they hear']
  const names = unheard.slice(0, namedMax).join(', ')
  const more = unheard.length > namedMax ? `, and ${unheard.length - namedMax} more` : ''
  return `${who} of the network did not confirm it, and may show the captures until ${they} of it: ${names}${more}`
}

async function release(context: Context, target: TakedownTarget, { reason }: Options): Promise<ExitCode> {
  const { terminal, isJson } = context
  const name = nameOf(target)
  const released = await withArchive(context, {
    store: async (store) => ({ captures: await store.release(target), isHidden: false }),
    peer: (peer) =>
      peer.post<{ captures: number; isHidden: boolean }>('/api/v1/takedowns/release', {
        [target.kind]: name,
        reason,
      }),
  })
  const { captures, isHidden } = released
  if (isJson) await terminal.printJson({ ...target, captures, isHidden })
  else if (isHidden) await terminal.printLine(`Still hidden: another peer of the network took ${name} down.`)
  else await terminal.printLine(`Released: ${name}. ${captures} captures are shown again.`)
  return isHidden ? exitCodes.no : exitCodes.ok
}

function targetOf(options: Options): TakedownTarget {
  const selection = selectionOf(options)
  if (selection === undefined || selection.kind === 'host')
    throw new UsageError('Say what to take down: --url, --prefix or --site.')
  if (selection.kind === 'site') return selection
  return { ...selection, url: urlFromTyped(selection.url).href }
}

function nameOf(target: TakedownTarget): string {
  return target.kind === 'site' ? target.site : target.url
}

/** `until`: not when there is no way back. */
type Listed = {
  kind: string
  url?: string
  site?: string
  at: string
  reason: string
  by?: string | undefined
  captures: number
  until?: string | undefined
}

async function listTakedowns(context: Context): Promise<ExitCode> {
  const { terminal, isJson } = context
  const takedowns = await withArchiveToRead(context, {
    store: async (store) =>
      Array.from(store.takedowns(), ({ target, atMs, reason, by, captures, stage, finalAtMs }): Listed => {
        const isFinal = stage === 'destroying' || stage === 'destroyed'
        const until = isFinal ? undefined : new Date(finalAtMs).toISOString()
        return { ...target, at: new Date(atMs).toISOString(), reason, by, captures, until }
      }),
    peer: async (peer) => (await peer.get<{ takedowns: Listed[] }>('/api/v1/takedowns')).takedowns,
  })
  if (isJson) for (const takedown of takedowns) await terminal.printJson(takedown)
  else if (takedowns.length > 0) {
    const rows = takedowns.map(({ kind, url, site, at, captures, until, reason }) => {
      return [kind, site ?? url ?? '', at, String(captures), until ?? 'never', reason]
    })
    const head = ['what', 'name', 'when', 'captures', 'can be released until', 'why']
    await terminal.printLine(formatTable(head, rows, terminal.width))
  }
  return exitCodes.ok
}
