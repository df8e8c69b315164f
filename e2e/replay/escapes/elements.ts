// Attempts by elements in markup, and by markup that becomes elements in unusual ways.

import { type Escape, type Surroundings, trial, trials } from './escape.ts'

export function elementEscapes(around: Surroundings): Escape[] {
  return [...byMedia(around), ...byDrawing(around), ...byMadeMarkup(around), ...byClick(around)]
}

function byMedia(around: Surroundings): Escape[] {
  const at = (name: string, ending: string) => `${around.live}/caught/${name}${ending}`
  return trials(around, {
    'media-srcset': { body: `<img srcset="${at('media-srcset', '.png')} 1x">` },
    'media-picture': { body: `<picture><source srcset="${at('media-picture', '.png')}"><img></picture>` },
    'media-video': { body: `<video src="${at('media-video', '.webm')}" preload="auto"></video>` },
    'media-video-source': {
      body: `<video preload="auto"><source src="${at('media-video-source', '.webm')}"></video>`,
    },
    'media-audio-source': {
      body: `<audio preload="auto"><source src="${at('media-audio-source', '.wav')}"></audio>`,
    },
    'media-poster': { body: `<video poster="${at('media-poster', '.png')}"></video>` },
    'media-track': {
      body: `<video crossorigin src="data:video/webm;base64,GkXf"><track default kind="subtitles" src="${at('media-track', '.vtt')}"></video>`,
      script: "document.querySelector('track').track.mode = 'showing'",
    },
    'media-audio-made': 'new Audio(caught(".wav")).load()',
    'media-play': `
      var film = document.createElement('video')
      film.muted = true
      film.src = caught('.webm')
      film.play().catch(function () {})`,
    'embed-markup': { body: `<embed src="${at('embed-markup', '.svg')}" type="image/svg+xml">` },
    'script-markup': { body: `<script src="${at('script-markup', '.js')}"></script>` },
    'base-markup': {
      head: `<base href="${around.live}/caught/">`,
      body: '<img src="base-markup.png">',
    },
    'frame-set': {
      script: `
        var set = document.createElement('frameset')
        set.innerHTML = '<frame src="' + caught() + '">'
        document.documentElement.replaceChild(set, document.body)`,
    },
    'lazy-frame': { body: `<iframe loading="lazy" src="${at('lazy-frame', '.html')}"></iframe>` },
    'import-map': {
      head: `<script type="importmap">{ "imports": { "x": "${at('import-map', '.js')}" } }</script>`,
      body: `<script type="module">import 'x'</script>`,
    },
    'import-map-integrity': {
      head: `<script type="importmap">{ "imports": { "y/": "${around.live}/caught/" } }</script>`,
      body: `<script type="module">import('y/' + 'import-map-integrity.js').catch(() => {})</script>`,
    },
    'import-json': "import(caught('.json'), { with: { type: 'json' } }).catch(function () {})",
    'import-style': "import(caught('.css'), { with: { type: 'css' } }).catch(function () {})",
  })
}

function byDrawing(around: Surroundings): Escape[] {
  const at = (name: string, ending: string) => `${around.live}/caught/${name}${ending}`
  return trials(around, {
    'svg-script': { body: `<svg><script href="${at('svg-script', '.js')}"></script></svg>` },
    'svg-set': {
      body: `<svg><image width="9" height="9"><set attributeName="href" to="${at('svg-set', '.png')}"/></image></svg>`,
    },
    'svg-animate': {
      body: `<svg><image width="9" height="9"><animate attributeName="href" values="${at('svg-animate', '.png')}" dur="9s"/></image></svg>`,
    },
    'svg-style': {
      body: `<svg><style>rect { mask: url(${at('svg-style', '.png')}) }</style><rect width="9" height="9"/></svg>`,
    },
    'svg-use': { body: `<svg><use href="${at('svg-use', '.svg')}#x"/></svg>`, isRare: true },
    'svg-pattern': {
      body: `<svg><pattern id="p" width="9" height="9"><image href="${at('svg-pattern', '.png')}" width="9" height="9"/></pattern><rect width="99" height="99" fill="url(#p)"/></svg>`,
    },
    'svg-foreign': {
      body: `<svg width="99" height="99"><foreignObject width="99" height="99"><img xmlns="http://www.w3.org/1999/xhtml" src="${at('svg-foreign', '.png')}"/></foreignObject></svg>`,
    },
    'math-link': {
      body: `<math href="${at('math-link', '.html')}"><mglyph src="${at('math-link', '.png')}"/></math>`,
      isRare: true,
    },
  })
}

function byMadeMarkup(around: Surroundings): Escape[] {
  return trials(around, {
    'markup-inner': "document.body.innerHTML = '<img src=\"' + caught('.png') + '\">'",
    'markup-outer': `
      document.body.innerHTML = '<i></i>'
      document.querySelector('i').outerHTML = '<img src="' + caught('.png') + '">'`,
    'markup-adjacent':
      "document.body.insertAdjacentHTML('beforeend', '<img src=\"' + caught('.png') + '\">')",
    'markup-template': `
      var template = document.createElement('template')
      template.innerHTML = '<img src="' + caught('.png') + '">'
      document.body.appendChild(template.content.cloneNode(true))`,
    'markup-error': `document.body.innerHTML = '<img src="data:,x" onerror="new Image().src = caught(\\'.png\\')">'`,
    'markup-other-document': `
      var other = document.implementation.createHTMLDocument('')
      other.body.innerHTML = '<img src="' + caught('.png') + '">'
      document.body.appendChild(document.adoptNode(other.body.firstChild))`,
    'markup-parsed-unsafe': `
      var other = Document.parseHTMLUnsafe('<img src="' + caught('.png') + '">')
      document.body.appendChild(document.adoptNode(other.body.firstChild))`,
    'markup-written-script': `document.write('<script src="' + caught('.js') + '"><\\/script>')`,
    'markup-eval': 'eval("new Image().src = caught(\'.png\')")',
    'markup-timer': 'setTimeout("new Image().src = caught(\'.png\')", 1)',
    'markup-xml': `
      var other = new DOMParser().parseFromString('<img xmlns="http://www.w3.org/1999/xhtml" src="' + caught('.png') + '"/>', 'application/xhtml+xml')
      document.body.appendChild(document.adoptNode(other.documentElement))`,
    'markup-transformed': {
      script: `
        var parse = function (text) { return new DOMParser().parseFromString(text, 'application/xml') }
        var processor = new XSLTProcessor()
        processor.importStylesheet(parse('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><img src="' + caught('.png') + '"/></xsl:template></xsl:stylesheet>'))
        document.body.appendChild(processor.transformToFragment(parse('<a/>'), document))`,
      isRare: true,
    },
    'markup-entity': {
      script: `new DOMParser().parseFromString('<!DOCTYPE a [<!ENTITY e SYSTEM "' + caught('.xml') + '">]><a>&e;</a>', 'application/xml')`,
      isRare: true,
    },
  })
}

/** With a person's click, browsers allow more. */
function byClick(around: Surroundings): Escape[] {
  const clicked = (name: string, markup: (target: string) => string): Escape => ({
    name,
    page: trial(around, name, { body: markup(`${around.live}/caught/${name}.html`) }),
    isClicked: true,
  })
  return [
    clicked(
      'click-form',
      (target) => `<form method="post" action="${target}"><button id="go">go</button></form>`,
    ),
    clicked(
      'click-form-action',
      (target) => `<form><button id="go" formaction="${target}">go</button></form>`,
    ),
    clicked(
      'click-form-frame',
      (target) =>
        `<iframe name="inner"></iframe><form target="inner" action="${target}"><button id="go">go</button></form>`,
    ),
    clicked(
      'click-drawing',
      (target) =>
        `<svg width="99" height="99"><a id="go" href="${target}"><rect width="99" height="99"/></a></svg>`,
    ),
    clicked(
      'click-frame-link',
      (target) => `<iframe name="inner"></iframe><a id="go" target="inner" href="${target}">go</a>`,
    ),
    clicked(
      'click-script-url',
      (target) => `<a id="go" href="javascript:void(location.href='${target}')">go</a>`,
    ),
  ]
}
