// `polyhistor search WORDS...`: archived pages by their words, as they are or as they were.

import { type SearchJson, searchJson, searchQuestionOf, withSearch } from '../../app/search/search-to-ask.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { runningPeer } from '../peer/running-peer.ts'
import { UsageError } from '../usage-error.ts'
import { withStore, withStoreToRead } from '../with-store.ts'

interface Options {
  site?: string
  at?: string
  limit?: number
  cursor?: string
  facets?: boolean
  rebuild?: boolean
}

export async function searchPages(context: Context, words: string[], options: Options): Promise<ExitCode> {
  const { site, at, limit, cursor, facets, rebuild = false } = options
  if (words.length === 0 && !rebuild)
    throw new UsageError('Say what to look for: polyhistor search WORDS. docs/search.md tells more.')
  const unknown = words.find((word) => word.startsWith('--'))
  if (unknown !== undefined) throw new UsageError(`unknown option '${unknown}' (--help shows what there is)`)
  const query = {
    q: words.map(typedWord).join(' '),
    ...(site !== undefined && { site }),
    ...(at !== undefined && { at }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(cursor !== undefined && { cursor }),
    ...(facets && { facets: 'true' }),
  }
  const peer = await runningPeer(context)
  if (rebuild && peer !== undefined)
    throw new UsageError(
      'The index of a running peer makes itself anew where it is damaged. Stop the peer for --rebuild.',
    )
  const isOnlyRebuilt = words.length === 0
  const found =
    peer !== undefined
      ? await peer.get<SearchJson>('/api/v1/search', query)
      : await (rebuild ? withStore : withStoreToRead)(context, (store) =>
          withSearch(context.home.folder, store, { isAnew: rebuild }, async ({ service }) =>
            isOnlyRebuilt
              ? undefined
              : searchJson(await service.search(searchQuestionOf(new URLSearchParams(query)))),
          ),
        )
  if (found === undefined) {
    context.terminal.tell('The search index was made anew.')
    return exitCodes.ok
  }
  await show(context, found)
  return found.hits.length === 0 ? exitCodes.no : exitCodes.ok
}

/** The shell took the quotes of a phrase away. */
function typedWord(word: string): string {
  return /\s/.test(word) && !word.includes('"') && !/^-?[a-z]+:/.test(word) ? `"${word}"` : word
}

async function show({ terminal, isJson }: Context, found: SearchJson): Promise<void> {
  if (isJson) {
    await terminal.printJson(found)
    return
  }
  for (const { url, time, title, snippet, versions } of found.hits) {
    const more = versions > 1 ? `, ${versions} versions` : ''
    await terminal.printLine(
      `${title || url}\n  ${url}  (${time.slice(0, 10)}${more})\n  ${plain(snippet)}\n`,
    )
  }
  const { total, suggestion, partial, missing, cursor } = found
  if (total === 0) terminal.tell('Nothing was found.')
  else terminal.tell(`${total.toLocaleString('en')} ${total === 1 ? 'page' : 'pages'} found.`)
  if (suggestion !== null) terminal.tell(`Did you mean: ${suggestion}`)
  if (partial) terminal.tell(`This may not be all. Not searched was: ${missing.join(' ')}`)
  if (cursor !== null) terminal.tell(`More: --cursor ${cursor}`)
}

const characters: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }

function plain(snippet: string): string {
  return snippet.replace(/<\/?mark>/g, '').replace(/&(?:amp|lt|gt|quot);/g, (entity) => characters[entity]!)
}
