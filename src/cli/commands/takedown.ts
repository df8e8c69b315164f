// `polyhistor takedown`: hides a URL, prefix or site for good.

import { createInterface } from 'node:readline/promises'
import { hasSitesUnder } from '../../record/site.ts'
import { urlFromTyped } from '../../record/url.ts'
import type { TakedownTarget } from '../../store-library.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { type SelectionOptions, selectionOf } from '../option-values.ts'
import { withArchive } from '../running-peer.ts'
import { formatTable } from '../table.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends SelectionOptions {
  reason: string
  yes?: boolean
  list?: boolean
}

export async function takeDown(context: Context, _words: string[], options: Options): Promise<ExitCode> {
  const { terminal, isJson } = context
  if (options.list) return listTakedowns(context)
  const target = targetOf(options)
  const name = target.kind === 'site' ? target.site : target.url
  const what = target.kind === 'site' && hasSitesUnder(name) ? 'all sites under' : `the ${target.kind}`
  if (!options.yes && !(await confirmed(`Hide ${what} ${name} for good? There is no way back.`))) {
    throw new UsageError('Nothing was taken down. Say --yes to do it without being asked.')
  }
  const captures = await withArchive(context, {
    store: (store) => store.takedown(target, options.reason),
    peer: async (peer) => {
      const wish = { [target.kind]: name, reason: options.reason }
      return (await peer.post<{ captures: number }>('/api/v1/takedowns', wish)).captures
    },
  })
  if (isJson) await terminal.printJson({ ...target, captures })
  else
    await terminal.printLine(
      `Taken down: ${name}. ${captures} captures are hidden; their bytes go with: polyhistor store compact`,
    )
  return exitCodes.ok
}

function targetOf(options: Options): TakedownTarget {
  const selection = selectionOf(options)
  if (selection === undefined || selection.kind === 'host')
    throw new UsageError('Say what to take down: --url, --prefix or --site.')
  if (selection.kind === 'site') return selection
  return { ...selection, url: urlFromTyped(selection.url).href }
}

async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const dialogue = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test(await dialogue.question(`${question} [y/N] `))
  } finally {
    dialogue.close()
  }
}

type Listed = { kind: string; url?: string; site?: string; at: string; reason: string }

async function listTakedowns(context: Context): Promise<ExitCode> {
  const { terminal, isJson } = context
  const takedowns = await withArchive(context, {
    store: async (store) =>
      Array.from(
        store.takedowns(),
        ({ target, atMs, reason }): Listed => ({ ...target, at: new Date(atMs).toISOString(), reason }),
      ),
    peer: async (peer) => (await peer.get<{ takedowns: Listed[] }>('/api/v1/takedowns')).takedowns,
  })
  if (isJson) for (const takedown of takedowns) await terminal.printJson(takedown)
  else if (takedowns.length > 0) {
    const rows = takedowns.map(({ kind, url, site, at, reason }) => [kind, site ?? url ?? '', at, reason])
    await terminal.printLine(formatTable(['what', 'name', 'when', 'why'], rows, terminal.width))
  }
  return exitCodes.ok
}
