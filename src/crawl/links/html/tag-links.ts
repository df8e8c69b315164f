// Tag links: what links each element of HTML and SVG holds.
//
// Left out on purpose: `cite`, `longdesc`, `og:image`, `ping`, JSON-LD: nobody follows them, and no page looks
// different without. Taken in though no standard knows them: the attributes by which scripts load images late, for
// without a script they are all there is.

import { urlsOfSrcset } from '../../../formats/markup/srcset.ts'
import { scanCss } from '../css-links.ts'
import type { LinkCollector } from '../link-collector.ts'
import type { LinkSource } from '../link-source.ts'
import type { AttributeName, OpenTag } from './open-tag.ts'
import { urlOfRefresh } from './refresh.ts'
import { isNoFollow, targetOfRelation } from './relation.ts'

const lazySources: readonly AttributeName[] = ['data-src', 'data-original', 'data-lazy-src']

/** All but base, meta elements for robots, and the text of style and title: see html-links.ts. */
export function collectTagLinks(tag: OpenTag, links: LinkCollector): void {
  new TagReader(tag, links).read()
}

class TagReader {
  readonly #tag: OpenTag
  readonly #links: LinkCollector

  constructor(tag: OpenTag, links: LinkCollector) {
    this.#tag = tag
    this.#links = links
  }

  read(): void {
    this.#readElement()
    this.#readAnyElement()
  }

  #readElement(): void {
    switch (this.#tag.element) {
      case 'a':
        this.#addPage('href', 'a href')
        this.#addPage('xlink:href', 'a href')
        break
      case 'area':
        this.#addPage('href', 'area href')
        break
      case 'form':
        if ((this.#tag.get('method')?.trim().toLowerCase() ?? 'get') === 'get')
          this.#addPage('action', 'form action')
        break
      case 'link':
        this.#readLink()
        break
      case 'meta':
        this.#readRefresh()
        break
      case 'img':
      case 'image':
      case 'feimage':
        this.#readImage()
        break
      case 'use':
        this.#add('href', 'svg href')
        this.#add('xlink:href', 'svg href')
        break
      case 'source':
        this.#add('src', 'source src')
        this.#addSet('srcset', 'source srcset')
        this.#addSet('data-srcset', 'source srcset')
        this.#addSet('data-lazy-srcset', 'source srcset')
        this.#add('data-src', 'source src')
        break
      default:
        this.#readEmbedding()
    }
  }

  #readEmbedding(): void {
    switch (this.#tag.element) {
      case 'video':
        this.#add('src', 'video src')
        this.#add('data-src', 'video src')
        this.#add('poster', 'video poster')
        break
      case 'audio':
        this.#add('src', 'audio src')
        break
      case 'track':
        this.#add('src', 'track src')
        break
      case 'script':
        this.#add('src', 'script src')
        this.#add('href', 'script src')
        this.#add('xlink:href', 'script src')
        break
      case 'embed':
        this.#add('src', 'embed src')
        break
      case 'object':
        this.#add('data', 'object data')
        break
      case 'input':
        if (this.#tag.get('type')?.trim().toLowerCase() === 'image') this.#add('src', 'input src')
        break
      case 'iframe':
        this.#add('src', 'iframe src')
        this.#add('data-src', 'iframe src')
        break
      case 'frame':
        this.#add('src', 'frame src')
    }
  }

  #readImage(): void {
    this.#add('src', 'img src')
    this.#addSet('srcset', 'img srcset')
    this.#add('href', 'svg href')
    this.#add('xlink:href', 'svg href')
    for (const name of lazySources) this.#add(name, 'img data-src')
    this.#addSet('data-srcset', 'img data-src')
    this.#addSet('data-lazy-srcset', 'img data-src')
  }

  #readLink(): void {
    const target = targetOfRelation(this.#tag.get('rel') ?? '', this.#tag.get('type') ?? '')
    if (target === undefined) return
    this.#add('href', `link ${target}`)
    if (target === 'preload') this.#addSet('imagesrcset', 'link preload')
  }

  #readRefresh(): void {
    if (this.#tag.get('http-equiv')?.trim().toLowerCase() !== 'refresh') return
    const url = urlOfRefresh(this.#tag.get('content') ?? '')
    if (url !== undefined) this.#links.add(url, 'meta refresh')
  }

  #readAnyElement(): void {
    const style = this.#tag.get('style')
    if (style !== undefined) scanCss(style, (url, source) => this.#links.add(url, source))
    this.#add('background', 'background')
    for (const name of ['data-bg', 'data-background-image'] as const) {
      const value = this.#tag.get(name)
      // Either a URL or a url(), and sometimes a colour or a flag.
      if (value === undefined || !/[./]/.test(value)) continue
      if (/url\(/i.test(value)) scanCss(value, (url) => this.#links.add(url, 'background'))
      else this.#links.add(value, 'background')
    }
    this.#addSet('data-bgset', 'background')
    if (this.#tag.element === 'section') this.#readSlide()
  }

  /** Of reveal.js: it loads the parts of a slide when the reader is near it. */
  #readSlide(): void {
    this.#add('data-background-iframe', 'iframe src')
    for (const url of this.#tag.get('data-background-video')?.split(',') ?? [])
      this.#links.add(url.trim(), 'video src')
    // Without a value the slide's Markdown stands in it.
    const markdown = this.#tag.get('data-markdown')
    if (markdown !== undefined && markdown.trim() !== '') this.#links.add(markdown, 'script fetch')
  }

  #addPage(name: AttributeName, source: LinkSource): void {
    const url = this.#tag.get(name)
    if (url !== undefined) this.#links.add(url, source, isNoFollow(this.#tag.get('rel') ?? ''))
  }

  #add(name: AttributeName, source: LinkSource): void {
    const url = this.#tag.get(name)
    if (url !== undefined) this.#links.add(url, source)
  }

  #addSet(name: AttributeName, source: LinkSource): void {
    const set = this.#tag.get(name)
    if (set === undefined) return
    for (const { url } of urlsOfSrcset(set)) this.#links.add(url, source)
  }
}
