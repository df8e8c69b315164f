// Network links: what all peers of a network know of links, asked of them at once and merged.
//
// Everybody is asked, for a link's page may lie with any of them; whoever keeps the target's site has been told of many of them
// (incoming-links.ts), and answers for those whose pages' peers are away. What others say is a claim: what is no answer to the
// question is left out.

import { PolyhistorError } from '../errors.ts'
import {
  isThereAt,
  type LinkAnswer,
  type LinkQuestion,
  type LinkService,
  mergedLinks,
  type PageLink,
} from '../model/page-link.ts'
import { tryParseLink } from '../model/url/url.ts'
import { AnsweringTurns } from '../platform/calls/answering-turns.ts'
import type { CallService } from '../platform/calls/call-services.ts'
import type { PeerId } from '../platform/network/network.ts'
import { sortedLinks } from './own-links.ts'
import { linkAnswer, linkQuestion, linksAnsweredMax } from './wire/link-messages.ts'

interface Needs {
  readonly own: LinkService
  readonly calls: Pick<CallService, 'call' | 'answer'>
  /** Everybody known to be on the ring now, without ourselves. */
  peers(): readonly PeerId[]
  isHidden(href: string): boolean
}

const peersMax = 200
const answerMs = 4_000
/** Questions of others that are answered at once. */
const turns = { ofAll: 8, ofEach: 4 }

export class NetworkLinks implements LinkService {
  readonly #needs: Needs
  readonly #turns = new AnsweringTurns(
    turns,
    'links-busy',
    'This peer answers as many questions about links as it can',
  )

  constructor(needs: Needs) {
    this.#needs = needs
    needs.calls.answer((from, bytes) => this.#answer(from, bytes))
  }

  async links(question: LinkQuestion): Promise<LinkAnswer> {
    const { own, peers } = this.#needs
    const asked = peers()
    const [here, ...others] = await Promise.all([
      own.links(question),
      ...asked.slice(0, peersMax).map((peer) => this.#ask(peer, question)),
    ])
    const answers = [here, ...others.filter((answer) => answer !== undefined)]
    const links = sortedLinks(mergedLinks(answers.map((answer) => answer.links)))
    const isPartial =
      answers.some((answer) => answer.isPartial) ||
      answers.length <= asked.length ||
      links.length > question.limit
    return { links: links.slice(0, question.limit), isPartial }
  }

  async #ask(peer: PeerId, question: LinkQuestion): Promise<LinkAnswer | undefined> {
    const { direction, of, atMs, limit } = question
    const asked = { isTo: direction === 'to', of, atMs, limit: Math.min(limit, linksAnsweredMax) }
    try {
      const bytes = linkQuestion.encode(asked)
      const { links, isPartial } = linkAnswer.decode(
        await this.#needs.calls.call(peer, bytes, { deadlineMs: answerMs, channel: 'bulk' }),
      )
      return { links: links.filter((link) => this.#isAnswer(link, question)), isPartial }
    } catch (error) {
      // Silent, of an older version, or not to be understood.
      if (error instanceof PolyhistorError) return undefined
      throw error
    }
  }

  #isAnswer(link: PageLink, { direction, of, atMs }: LinkQuestion): boolean {
    const { isHidden } = this.#needs
    if (isHidden(link.from) || isHidden(link.to)) return false
    if (atMs !== undefined && !isThereAt(link, atMs)) return false
    const end = direction === 'from' ? link.from : link.to
    return of.kind === 'url' ? end === of.href : tryParseLink(end)?.site === of.site
  }

  async #answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    const { isTo, of, atMs, limit } = linkQuestion.decode(bytes)
    const direction = isTo ? 'to' : 'from'
    const question = { direction, of, atMs, limit: Math.max(1, limit) } as const
    return this.#turns.run(from, async () => linkAnswer.encode(await this.#needs.own.links(question)))
  }
}
