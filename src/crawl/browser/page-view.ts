// A visit whose page may be shown: keeps its host for it from the answer on, and holds what came of it.

import type { RenderedPage } from '../../model/rendered-page.ts'
import type { Fetched } from '../fetch/outcome.ts'
import type { FetchTask } from '../frontier/fetch-task.ts'
import type { FrontierHosts } from '../frontier/frontier-hosts.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import type { VisitResponse } from '../visit/visit.ts'
import { missedOf, type PageShown } from './page-shown.ts'

export class PageView {
  readonly #hosts: Pick<FrontierHosts, 'keepTurn' | 'endTurn'>
  readonly #task: FetchTask
  readonly #show: (response: VisitResponse) => Promise<PageShown | MissedReason | undefined>
  #hasTurn = false
  shown: PageShown | undefined
  /** Why it was not shown, though it should have been. */
  missed: MissedReason | undefined

  constructor(
    hosts: Pick<FrontierHosts, 'keepTurn' | 'endTurn'>,
    task: FetchTask,
    show: (response: VisitResponse) => Promise<PageShown | MissedReason | undefined>,
  ) {
    this.#hosts = hosts
    this.#task = task
    this.#show = show
  }

  /** The response has come. True when it may be shown: then the host is kept for it. */
  answered(fetched: Fetched): boolean {
    // Of a page that has not changed the head does not say what it is.
    const isPage = fetched.kind === 'not-modified' || (isSuccess(fetched.status) && isHtml(fetched))
    if (isPage) this.#hosts.keepTurn(this.#task.url)
    this.#hasTurn = isPage
    return isPage
  }

  async show(response: VisitResponse): Promise<void> {
    const result = this.#hasTurn ? await this.#show(response) : undefined
    if (result === undefined) return
    if ('code' in result) this.missed = result
    else {
      this.shown = result
      this.missed = missedOf(result)
    }
  }

  /** What could be read of it, where it was shown to its end: what was cut off reads otherwise each time. */
  get rendered(): RenderedPage | undefined {
    return this.shown?.ending === 'settled' ? this.shown.rendered : undefined
  }

  /** However the visit went. */
  end(): void {
    if (this.#hasTurn) this.#hosts.endTurn(this.#task.url, undefined)
    this.#hasTurn = false
  }
}

export function isShowable(response: Pick<VisitResponse, 'status' | 'headers'>): boolean {
  return isSuccess(response.status) && isHtml(response)
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function isHtml({ headers }: Pick<VisitResponse, 'headers'>): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers.get('Content-Type') ?? '')
}
