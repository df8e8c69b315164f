// The browsers that pages can be shown in: this peer's own, or, where it has none, those of other peers on its network.
//
// Where the owner's setting is that there is none (`reserve`), one is started all the same for a crawl, rule or watch that asks for it in so
// many words; on a network it is not, for there anybody's crawls and rules are this peer's, too.

import {
  BrowserError,
  type PageBrowser,
  type PageToShow,
  type ShownPage,
} from '../../platform/network/browser.ts'

/** Those of other peers. */
export interface OtherBrowsers extends PageBrowser {
  /** As far as is known; also while nothing is known. */
  readonly mayBeThere: boolean
}

export class PageBrowsers {
  readonly own: PageBrowser | undefined
  readonly #reserve: (() => Promise<PageBrowser>) | undefined
  #reserved: Promise<PageBrowser> | undefined
  #others: OtherBrowsers | undefined
  #isOwnThere = true

  constructor(own: PageBrowser | undefined, reserve?: () => Promise<PageBrowser>) {
    this.own = own
    this.#reserve = reserve
  }

  joinNetwork(others: OtherBrowsers): void {
    this.#others = others
  }

  /** Whether it is worth while to ask if a page should be shown. `isAsked`: that is wanted in so many words. */
  mayBeThere(isAsked: boolean): boolean {
    return this.own !== undefined || this.#isReserveFor(isAsked) || (this.#others?.mayBeThere ?? false)
  }

  /** Whether somebody is to show pages: this peer, whether or not it can now, or others that can. */
  async areThere(isAsked: boolean): Promise<boolean> {
    if (this.own !== undefined || this.#isReserveFor(isAsked)) return true
    try {
      await this.look()
      return true
    } catch (error) {
      if (error instanceof BrowserError) return false
      throw error
    }
  }

  /** Ours, unless it is known to be missing: what others may use. */
  get ready(): PageBrowser | undefined {
    return this.#isOwnThere ? this.own : undefined
  }

  /** Resolves when there is one; rejects (BrowserError) when there is none. */
  async look(): Promise<void> {
    await this.#ownOr(
      this.own,
      (own) => own.ready(),
      (others) => others.ready(),
    )
  }

  async show(page: PageToShow, isAsked: boolean, signal?: AbortSignal): Promise<ShownPage> {
    const own = this.own ?? (this.#isReserveFor(isAsked) ? await this.#fromReserve() : undefined)
    return this.#ownOr(
      own,
      (ours) => ours.show(page, signal),
      (others) => others.show(page, signal),
    )
  }

  async close(): Promise<void> {
    await this.own?.close()
    await (await this.#reserved)?.close()
  }

  #isReserveFor(isAsked: boolean): boolean {
    return isAsked && this.#reserve !== undefined && this.#others === undefined
  }

  #fromReserve(): Promise<PageBrowser> {
    this.#reserved ??= this.#reserve!()
    return this.#reserved
  }

  async #ownOr<T>(
    own: PageBrowser | undefined,
    ask: (own: PageBrowser) => Promise<T>,
    askOthers: (others: OtherBrowsers) => Promise<T>,
  ): Promise<T> {
    const others = this.#others
    try {
      if (own === undefined) throw noBrowser
      const given = await ask(own)
      this.#isOwnThere = true
      return given
    } catch (error) {
      if (!(error instanceof BrowserError)) throw error
      this.#isOwnThere = false
      // What is wrong with ours is what its owner can mend.
      if (others === undefined) throw error
      return await askOthers(others).catch((missing: unknown) => {
        throw own === undefined || !(missing instanceof BrowserError) ? missing : error
      })
    }
  }
}

const noBrowser = new BrowserError('browser-missing', 'The setting crawl.browser is never.')
