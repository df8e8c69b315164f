// Search client: orders for the engine, from another thread or this one.

import { PolyhistorError } from '../errors.ts'
import type { Workers } from '../platform/workers.ts'
import type { SearchEngine, SearchOrder, SearchResults } from './search-engine.ts'

/** What goes to the thread: it opens the index that is named, when it is first asked. */
export interface SearchJob {
  readonly folder: string
  readonly order: SearchOrder
}

export type SearchJobResult =
  | { readonly value: SearchResults[keyof SearchResults] }
  | { readonly code: string; readonly message: string; readonly retry: 'never' | 'later' }

export type SearchWorkers = Workers<SearchJob, SearchJobResult>

/** Expected failures are results: their codes do not come through otherwise. */
export async function jobResultOf(engine: SearchEngine, order: SearchOrder): Promise<SearchJobResult> {
  try {
    return { value: await engine.run(order) }
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return { code: error.code, message: error.message, retry: error.retry }
  }
}

export class SearchClient {
  readonly #workers: SearchWorkers
  readonly #folder: string

  constructor(workers: SearchWorkers, folder: string) {
    this.#workers = workers
    this.#folder = folder
  }

  async run<Kind extends keyof SearchResults>(
    order: SearchOrder & { readonly kind: Kind },
    transfer?: readonly ArrayBuffer[],
  ): Promise<SearchResults[Kind]> {
    const result = await this.#workers.run({ folder: this.#folder, order }, transfer)
    if ('code' in result) throw new PolyhistorError(result.code, result.message, { retry: result.retry })
    return result.value as SearchResults[Kind]
  }

  async close(): Promise<void> {
    await this.run({ kind: 'close' }).catch(() => {})
    await this.#workers.close()
  }
}
