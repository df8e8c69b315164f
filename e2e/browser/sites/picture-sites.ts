// Sites of pictures: a list without end, pictures that come when they are looked at, a film that is read in pieces.

import { css, html, ranged, script, sound } from '../../replay/files.ts'
import type { Answers } from '../../replay/origin-web.ts'
import { numbered } from './drawings.ts'
import { packageFile, type RealSite, sourceFile } from './real-site.ts'

const listPages = [1, 2, 3, 4, 5]

function listPage(page: number): string {
  const articles = [1, 2, 3, 4].map(
    (at) =>
      `<article class="post"><img src="/pictures/${page}-${at}.svg" width="160" height="120"><p>Post ${page}.${at}</p></article>`,
  )
  const next = page < listPages.length ? `<a class="next" href="/page-${page + 1}.html">Next</a>` : ''
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>List ${page}</title>
    <style>.post { height: 260px; border: 1px solid #999; margin: 8px } .next { display: none }</style>
    <script src="/vendor/infinite-scroll.js"></script></head>
    <body><main class="posts">${articles.join('')}</main>${next}
    <script>
      const scroll = document.querySelector('.next') && new InfiniteScroll('.posts', { path: '.next', append: '.post', history: false })
    </script></body></html>`
}

export const listSite: RealSite = {
  name: 'list',
  what: 'infinite scroll: the next pages are fetched when the end comes near',
  packages: ['infinite-scroll'],
  views: [
    {
      path: '/',
      until: "document.querySelectorAll('.post').length >= 4",
      act: `(async () => {
        for (let times = 0; times < 200 && document.querySelectorAll('.post').length < 20; times++) {
          scrollTo(0, document.documentElement.scrollHeight)
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
        scrollTo(0, 2400)
      })()`,
      untilActed:
        "document.querySelectorAll('.post').length === 20 && [...document.images].every(({ naturalWidth }) => naturalWidth === 160)",
    },
  ],
  answers: () => {
    const answers: Record<string, Answers[string]> = {
      'list/': html(listPage(1)),
      'list/vendor/infinite-scroll.js': packageFile('infinite-scroll/dist/infinite-scroll.pkgd.min.js'),
    }
    for (const page of listPages) {
      answers[`list/page-${page}.html`] = html(listPage(page))
      for (const at of [1, 2, 3, 4]) answers[`list/pictures/${page}-${at}.svg`] = numbered(`${page}-${at}`)
    }
    return answers
  },
}

const widths = [200, 400, 800]
const sources = (name: string) => widths.map((width) => `/lazy/${name}-${width}.svg ${width}w`).join(', ')

/** By the page's own script (data-srcset), by the browser (loading), as background, and by the window's width (media). */
const gallery = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Gallery</title>
  <link rel="stylesheet" href="/style.css"><script src="/vendor/ls.bgset.js" defer></script>
  <script src="/vendor/lazysizes.js" defer></script></head><body>
  ${[1, 2, 3, 4, 5, 6]
    .map(
      (at) => `
    <p><img class="lazyload" data-sizes="auto" data-srcset="${sources(`own-${at}`)}"></p>
    <p><picture><source media="(min-width: 900px)" srcset="${sources(`wide-${at}`)}" sizes="380px">
      <source media="(max-width: 899px)" srcset="${sources(`narrow-${at}`)}" sizes="180px">
      <img loading="lazy" src="/lazy/plain-${at}-200.svg" width="380" height="285"></picture></p>
    <p class="back lazyload" data-bgset="/lazy/back-${at}-400.svg"></p>`,
    )
    .join('')}</body></html>`

export const gallerySite: RealSite = {
  name: 'gallery',
  what: 'lazy pictures: picture, srcset and sizes, loading=lazy, data-srcset, backgrounds',
  packages: ['lazysizes'],
  views: [
    {
      path: '/',
      until: "document.querySelector('.lazyloaded') !== null",
      act: `(async () => {
        for (let top = 0; top < document.documentElement.scrollHeight; top += 200) {
          scrollTo(0, top)
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
        scrollTo(0, 1500)
      })()`,
      untilActed:
        "document.querySelector('.lazyload, .lazyloading') === null && [...document.images].every(({ naturalWidth }) => naturalWidth > 0)",
    },
  ],
  answers: () => {
    const answers: Record<string, Answers[string]> = {
      'gallery/': html(gallery),
      'gallery/style.css': css(
        'p { width: 380px; height: 285px; margin: 8px } p img { width: 100%; height: 100% } .back { background: #ddd center / cover }',
      ),
      'gallery/vendor/lazysizes.js': packageFile('lazysizes/lazysizes.min.js'),
      'gallery/vendor/ls.bgset.js': packageFile('lazysizes/plugins/bgset/ls.bgset.min.js'),
    }
    for (const kind of ['own', 'wide', 'narrow', 'plain', 'back'])
      for (const at of [1, 2, 3, 4, 5, 6])
        for (const width of widths)
          answers[`gallery/lazy/${kind}-${at}-${width}.svg`] = numbered(
            `${kind} ${at} ${width}`,
            width,
            (width * 3) / 4,
          )
    return answers
  },
}

/** A player as they are: it reads the head of the file by range, then lets the browser play. */
const player = `
  (async () => {
    const film = document.querySelector('video')
    const head = await fetch('/film.webm', { headers: { Range: 'bytes=0-1023' } })
    const bytes = (await head.arrayBuffer()).byteLength
    document.querySelector('#head').textContent = head.status + ' ' + head.headers.get('Content-Range') + ' ' + bytes
    film.src = '/film.webm'
    film.load()
    await new Promise((resolve) => film.addEventListener('loadeddata', resolve, { once: true }))
    // A film that has sought shows the frame some time later.
    const shows = (at) => new Promise((resolve) => {
      const look = (_, { mediaTime }) =>
        Math.abs(mediaTime - at) < 1 ? resolve() : film.requestVideoFrameCallback(look)
      film.requestVideoFrameCallback(look)
    })
    for (const at of [15, 4]) {
      const isShown = shows(at)
      film.currentTime = at
      await isShown
    }
    const tone = document.querySelector('audio')
    tone.currentTime = 3
    if (tone.readyState < 2) await new Promise((resolve) => tone.addEventListener('canplay', resolve, { once: true }))
    document.querySelector('#length').textContent = film.duration.toFixed(1) + ' ' + tone.duration.toFixed(1)
    const words = document.querySelector('track')
    if (words.readyState < 2) await new Promise((resolve) => words.addEventListener('load', resolve, { once: true }))
    document.querySelector('#words').textContent = [...words.track.cues].map(({ text }) => text).join(' ')
    document.documentElement.dataset.ready = 'yes'
  })()`

export const filmSite: RealSite = {
  name: 'film',
  what: 'video and sound read by ranges, by the browser and by a script, with subtitles and poster',
  packages: [],
  views: [{ path: '/', until: "document.documentElement.dataset.ready === 'yes'" }],
  answers: () => ({
    'film/': html(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Film</title></head><body>
      <video width="640" height="360" muted poster="/poster.svg"><track default kind="subtitles" srclang="en" src="/film.vtt"></video>
      <video width="160" height="120" preload="none" poster="/poster.svg"></video>
      <p><audio preload="auto" src="/tone.wav"></audio><span id="head"></span> <span id="length"></span> <span id="words"></span>
      <script src="/player.js"></script></body></html>`),
    'film/player.js': script(player),
    'film/film.webm': ranged('video/webm', sourceFile('film.webm')),
    'film/film.vtt': {
      headers: { 'Content-Type': 'text/vtt' },
      body: 'WEBVTT\n\n00:00.000 --> 00:20.000\nA film with words below\n',
    },
    'film/tone.wav': ranged('audio/wav', sound(8)),
    'film/poster.svg': numbered('film', 640, 360),
  }),
}
