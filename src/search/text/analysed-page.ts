// Analysed page: the terms of one version of a page with their weight and places, packed, so that it goes from thread to thread
// for little. The same text of the same URL gives the same terms on every peer: scores must agree.
//
// Terms by field: words of title, headings, description, body, URL and of the links to the page are found by their plain term;
// behind a field mark stand the title's (`title:`), the URL's (`url:`), and what it is filtered by (`site:`, `lang:`, `type:`).
// Bounded: words of a page, places of a term, and its weight.

import { hash } from 'node:crypto'
import { tryParseLink } from '../../model/url/url.ts'
import { encodeText } from './document-text.ts'
import { type LanguageSign, languageOf, wordsOfLanguage } from './language.ts'
import { PageTerms } from './page-terms.ts'
import type { DocumentType, PageText } from './page-text.ts'
import { Vocabulary, type WordList } from './vocabulary.ts'

export interface AnalysedPage {
  /** One for each text of a page, whatever its markup. */
  readonly textName: string
  readonly language: string
  readonly type: DocumentType
  /** Words of the body, for the score. */
  readonly length: number
  /** As page-terms.ts packs them. */
  readonly terms: Uint8Array
  /** What results show of it, compressed (document-text.ts). */
  readonly shown: Uint8Array
}

export interface PageToAnalyse {
  readonly href: string
  readonly type: DocumentType
  readonly text: PageText
  /** Of links that lead to it. */
  readonly anchors: readonly string[]
}

const weights = { title: 8, heading: 3, description: 2, url: 4, anchor: 4, body: 1 }
const lengthMax = 65_535
const wordsMax = 50_000
const anchorsMax = 20
const bodyStoredChars = 60_000

const vocabulary = new Vocabulary()

export function analysePage({ href, type, text, anchors }: PageToAnalyse): AnalysedPage {
  vocabulary.tidy()
  const wordList = (some: string): WordList => vocabulary.wordsOf(some, wordsMax)
  const [body, title, description] = [wordList(text.body), wordList(text.title), wordList(text.description)]
  const headings = text.headings.map(wordList)
  const url = wordList(wordsOfAddress(href))
  const links = [...new Set(anchors.slice(0, anchorsMax))].map((anchor) => wordList(anchor.slice(0, 300)))
  const telling = body.length > 20 ? signsOf(body) : [...signsOf(title), ...signsOf(body)]
  const language = languageOf(telling, text.language)
  const terms = new PageTerms(vocabulary, language)
  terms.add(title, weights.title)
  terms.addField('title', title)
  terms.add(description, weights.description)
  for (const heading of headings) terms.weigh(heading, weights.heading)
  terms.add(body, weights.body)
  terms.add(url, weights.url)
  terms.addField('url', url)
  for (const link of links) terms.add(link, weights.anchor)
  for (const site of namesOfHost(href)) terms.filter('site', site)
  if (language !== '') terms.filter('lang', language)
  terms.filter('type', type)
  const textName = hash(
    'sha1',
    JSON.stringify([text.title, text.description, text.body, anchors]),
    'base64url',
  )
  const stored = { href, title: text.title, description: text.description, language, type }
  return {
    ...{ textName, language, type },
    length: Math.min(lengthMax, body.length),
    terms: terms.packed(),
    shown: encodeText({ ...stored, body: text.body.slice(0, bodyStoredChars).toWellFormed() }),
  }
}

function signsOf(words: WordList): LanguageSign[] {
  return words.slice(0, wordsOfLanguage).map((word) => vocabulary.signOf(word))
}

/** As a text: an address without what all have. */
function wordsOfAddress(href: string): string {
  const url = tryParseLink(href)
  const address = (url?.href ?? href).replace(/^[a-z]+:\/\/(?:www\.)?/, '').replace(/#.*$/, '')
  return readable(address).replace(/[_-]/g, ' ')
}

/** The host and the domains that it belongs to. */
function namesOfHost(href: string): string[] {
  const host = tryParseLink(href)?.host.replace(/:\d+$/, '') ?? ''
  const parts = host.split('.').slice(-10)
  if (/^[\d.]+$|^\[/.test(host)) return [host]
  return parts.map((_, index) => parts.slice(index).join('.')).filter((name) => name !== '')
}

function readable(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch (error) {
    if (error instanceof URIError) return address
    throw error
  }
}
