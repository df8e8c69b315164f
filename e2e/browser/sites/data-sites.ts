// Sites that draw data: a map of tiles, slides, charts on canvases, an application that keeps its state in a database.

import { html, json } from '../../replay/files.ts'
import type { Answers } from '../../replay/origin-web.ts'
import { builtSite } from './built-site.ts'
import { mapTile, numbered } from './drawings.ts'
import { packageFile, type RealSite } from './real-site.ts'

const isReady = "document.documentElement.dataset.ready === 'yes'"

/** Tiles come from three hosts of another site, as those of map services do. */
const zoom = 5
const mapPage = (
  tiles: string,
) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Map</title>
  <link rel="stylesheet" href="/vendor/leaflet.css"><style>body { margin: 0 } #map { height: 100vh }</style></head>
  <body><div id="map"></div><script src="/vendor/leaflet.js"></script><script>
    const map = L.map('map', { fadeAnimation: false, zoomAnimation: false }).setView([51.5, 7.4], ${zoom})
    const layer = L.tileLayer('${tiles}/{z}/{x}/{y}.png', { subdomains: 'abc', maxZoom: 8, attribution: 'made for a test' }).addTo(map)
    layer.on('load', () => fetch('/places.json').then((response) => response.json()).then((places) => {
      for (const { at, name } of places) L.marker(at).addTo(map).bindPopup(name)
      L.geoJSON({ type: 'Polygon', coordinates: [[[0, 48], [10, 47], [9, 54], [0, 48]]] }).addTo(map)
      document.documentElement.dataset.ready = 'yes'
    }))
  </script></body></html>`

export const mapSite: RealSite = {
  name: 'map',
  what: 'a map: tiles from three hosts of another site, markers, shapes',
  packages: ['leaflet'],
  views: [
    {
      path: '/',
      until: `${isReady} && [...document.images].every((image) => image.complete && image.naturalWidth > 0)`,
    },
  ],
  answers: (origin) => {
    const answers: Record<string, Answers[string]> = {
      'map/': html(mapPage(origin('tiles-X').replace('X', '{s}'))),
      'map/vendor/leaflet.js': packageFile('leaflet/dist/leaflet.js'),
      'map/vendor/leaflet.css': packageFile('leaflet/dist/leaflet.css'),
      'map/places.json': json(
        JSON.stringify([
          { at: [51.5, 7.4], name: 'Here' },
          { at: [48.8, 2.3], name: 'There' },
        ]),
      ),
    }
    for (const name of ['layers', 'layers-2x', 'marker-icon', 'marker-icon-2x', 'marker-shadow'])
      answers[`map/vendor/images/${name}.png`] = packageFile(`leaflet/dist/images/${name}.png`)
    for (const host of ['a', 'b', 'c'])
      for (let x = 10; x <= 22; x++)
        for (let y = 5; y <= 15; y++)
          answers[`tiles-${host}/${zoom}/${x}/${y}.png`] = () => mapTile(zoom, x, y)
    return answers
  },
}

const slides = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Talk</title>
  <link rel="stylesheet" href="/dist/reset.css"><link rel="stylesheet" href="/dist/reveal.css">
  <link rel="stylesheet" href="/dist/theme/black.css" id="theme"></head><body><div class="reveal"><div class="slides">
    <section><h1>A talk</h1><p>with slides</p></section>
    <section><h2>A picture</h2><img data-src="/pictures/1.svg" width="320" height="240"></section>
    <section data-background-image="/pictures/2.svg"><h2>A background</h2></section>
    <section data-markdown="/slides.md"></section>
    <section data-background-iframe="/inner.html"><h2>A frame</h2></section>
  </div></div>
  <script src="/dist/reveal.js"></script><script src="/dist/plugin/markdown.js"></script><script>
    Reveal.initialize({ hash: true, transition: 'none', backgroundTransition: 'none', controls: true, plugins: [RevealMarkdown] })
      .then(() => { document.documentElement.dataset.ready = 'yes' })
  </script></body></html>`

const goTo = (slide: number) => `(async () => {
  for (let at = 0; at <= ${slide}; at++) {
    Reveal.slide(at)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
})()`

const slide = (at: number) => ({
  path: '/',
  until: isReady,
  act: goTo(at),
  untilActed: `Reveal.getIndices().h === ${at} && [...document.querySelectorAll('.present img')].every((image) => image.naturalWidth > 0)`,
})

export const slidesSite: RealSite = {
  name: 'slides',
  what: 'a slide show: themes with fonts, pictures and frames that come with their slide, Markdown fetched',
  packages: ['reveal.js'],
  views: [slide(0), slide(1), slide(2), slide(3), slide(4)],
  answers: () => ({
    'slides/': html(slides),
    'slides/inner.html': html(
      '<!doctype html><title>Inner</title><body style="background:#284"><img src="/pictures/3.svg">',
    ),
    'slides/slides.md': {
      headers: { 'Content-Type': 'text/markdown' },
      body: '## From Markdown\n\n* one\n* two\n',
    },
    'slides/pictures/1.svg': numbered('one', 320, 240),
    'slides/pictures/2.svg': numbered('two', 640, 480),
    'slides/pictures/3.svg': numbered('three', 320, 240),
    ...packageFolder('slides', 'reveal.js/dist', [
      'reset.css',
      'reveal.css',
      'reveal.js',
      'plugin/markdown.js',
      'theme/black.css',
    ]),
  }),
}

function packageFolder(host: string, folder: string, files: readonly string[]): Answers {
  return Object.fromEntries(files.map((file) => [`${host}/dist/${file}`, packageFile(`${folder}/${file}`)]))
}

export async function chartsSite(): Promise<RealSite> {
  const built = await builtSite('charts', 'charts')
  const points = (factor: number) =>
    Array.from({ length: 24 }, (_, at) => Math.round(50 + 40 * Math.sin(at / factor)))
  return {
    name: 'charts',
    what: 'charts on canvases, of data that is fetched; one read back as a picture',
    packages: ['chart.js'],
    views: [{ path: '/', until: isReady }],
    answers: () => ({
      ...built,
      'charts/data/line.json': json(JSON.stringify(points(2))),
      'charts/data/bar.json': json(JSON.stringify(points(5))),
      'charts/data/doughnut.json': json(JSON.stringify([3, 5, 7, 9])),
      'charts/pictures/point.svg': numbered('p', 24, 24),
    }),
  }
}

export async function databaseSite(): Promise<RealSite> {
  const built = await builtSite('database', 'database')
  return {
    name: 'database',
    what: 'state in IndexedDB and localStorage: data is fetched into it, and shown from it',
    packages: ['dexie'],
    views: [
      { path: '/', until: isReady },
      {
        path: '/',
        until: isReady,
        act: "document.querySelector('button').click()",
        untilActed: "document.querySelector('button').textContent === 'done'",
      },
    ],
    answers: () => {
      const answers: Record<string, Answers[string]> = { ...built }
      const notes = Array.from({ length: 30 }, (_, id) => ({
        id,
        text: `Note ${id}`,
        tags: id % 3 ? ['odd'] : ['even', 'third'],
      }))
      answers['database/sync/notes-0.json'] = json(JSON.stringify({ notes: notes.slice(0, 15), next: 1 }))
      answers['database/sync/notes-1.json'] = json(JSON.stringify({ notes: notes.slice(15), next: null }))
      for (const id of [0, 3, 6, 9]) answers[`database/pictures/${id}.svg`] = numbered(`note ${id}`, 80, 60)
      return answers
    },
  }
}
