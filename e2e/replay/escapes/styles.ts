// Attempts by style sheets: every property and rule that can name a file.

import { type Escape, type Surroundings, type Trial, trials } from './escape.ts'

export function styleEscapes(around: Surroundings): Escape[] {
  return [...byProperty(around), ...byRule(around)]
}

function byProperty(around: Surroundings): Escape[] {
  const url = (name: string, ending: string) => `url(${around.live}/caught/${name}${ending})`
  const styled = (name: string, declarations: (url: string) => string, ending = '.png'): [string, Trial] => [
    name,
    {
      head: `<style>b { display: list-item; width: 99px; height: 99px; ${declarations(url(name, ending))} } b::before { content: "" }</style>`,
      body: '<b>x</b>',
      isRare: ending === '.svg',
    },
  ]
  return trials(
    around,
    Object.fromEntries([
      styled('style-background', (given) => `background: ${given}`),
      styled('style-list', (given) => `list-style-image: ${given}`),
      styled('style-border', (given) => `border: 9px solid; border-image: ${given} 9`),
      styled('style-mask', (given) => `mask: ${given}`),
      styled('style-cursor', (given) => `cursor: ${given}, auto`),
      styled('style-shape', (given) => `float: left; shape-outside: ${given}`),
      styled('style-cross-fade', (given) => `background: -webkit-cross-fade(${given}, ${given}, 50%)`),
      styled('style-variable', (given) => `--picture: ${given}; background: var(--picture)`),
      styled('style-filter', (given) => `filter: ${given.replace(')', '#f)')}`, '.svg'),
      styled('style-clip', (given) => `clip-path: ${given.replace(')', '#c)')}`, '.svg'),
    ]),
  )
}

function byRule(around: Surroundings): Escape[] {
  const { live } = around
  const target = (name: string, ending: string) => `${live}/caught/${name}${ending}`
  return trials(around, {
    'style-content': {
      head: `<style>b::after { content: url(${target('style-content', '.png')}) }</style>`,
      body: '<b>x</b>',
    },
    'style-attribute': { body: `<b style="background: url(${target('style-attribute', '.png')})">x</b>` },
    'style-font': {
      head: `<style>@font-face { font-family: x; src: url(${target('style-font', '.woff2')}) } b { font-family: x }</style>`,
      body: '<b>x</b>',
    },
    'style-import-layer': {
      head: `<style>@import url(${target('style-import-layer', '.css')}) layer(x) supports(display: block);</style>`,
    },
    'style-data-import': {
      head: `<link rel="stylesheet" href="data:text/css,@import url(${target('style-data-import', '.css')});">`,
    },
    'style-blob-import': `
      var link = document.createElement('link')
      link.rel = 'stylesheet'
      link.href = URL.createObjectURL(new Blob(['@import url(' + caught('.css') + ');'], { type: 'text/css' }))
      document.head.appendChild(link)`,
    'style-animation': {
      head: `<style>@keyframes k { from, to { background: url(${target('style-animation', '.png')}) } } b { animation: k 9s }</style>`,
      body: '<b>x</b>',
    },
    'style-text-set': `
      var style = document.createElement('style')
      style.textContent = 'body { background: url(' + caught('.png') + ') }'
      document.head.appendChild(style)`,
    'style-text-property': "document.body.style.cssText = 'background: url(' + caught('.png') + ')'",
    'style-shadow': `
      var shadow = document.body.attachShadow({ mode: 'open' })
      shadow.innerHTML = '<style>b { background: url(' + caught('.png') + ') }</style><b>x</b>'`,
    'style-nested-rule': {
      head: '<style id="s">@media all { }</style>',
      body: '<b>x</b>',
      script:
        "document.getElementById('s').sheet.cssRules[0].insertRule('b { background: url(' + caught('.png') + ') }')",
    },
    'attribute-background': {
      head: '',
      body: `<table background="${target('attribute-background', '.png')}"><td>x</table>`,
    },
  })
}
