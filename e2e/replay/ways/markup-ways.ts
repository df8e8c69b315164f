// What markup and style sheets name.

import { css, html, redirect, shared, signFont, sound, svg, xml } from '../files.ts'
import { unseen, type WayParts, type Ways, written } from './way.ts'

const frameStyle = 'border:0;width:46px;height:46px'
const framed = (body: string) => html(`<!doctype html><body style="margin:0">${body}`)
const image = (path: string) => `<img src="${path}" alt="">`

/** A style sheet that paints the tile. */
const painting = ({ id, picture }: WayParts) =>
  css(`#${id} { background-image: url(${picture('background')}) }`)

export const markupWays: Ways = {
  image: written('an image', ({ picture }) => ({ tile: image(picture('image')) })),
  'image-abroad': written('an image of another host', ({ picture, other }) => ({
    tile: image(other + picture('image', 'parts')),
  })),
  redirected: written('an image behind a redirect', ({ picture, file, other }) => ({
    tile: image(file('redirected', redirect(302, other + picture('target', 'parts')))),
  })),
  lazy: written('an image that is loaded lazily', ({ picture }) => ({
    tile: `<img loading="lazy" src="${picture('image')}" alt="">`,
  })),
  srcset: written('srcset', ({ picture }) => ({
    tile: `<img srcset="${picture('one')} 1x, ${picture('two')} 2x" alt="">`,
  })),
  picture: written('picture and source', ({ picture }) => ({
    tile: `<picture><source media="(min-width: 100px)" srcset="${picture('wide')}">${image(picture('narrow'))}</picture>`,
  })),
  input: written('an image as a button', ({ picture }) => ({
    tile: `<input type="image" src="${picture('image')}" alt="">`,
  })),
  'data-url': written('an image in a data: URL', ({ id }) => ({
    tile: `<img alt="" src="data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="46" height="46"><rect width="46" height="46" fill="#0a7d32"/><title>${id}</title></svg>`)}">`,
  })),
  'svg-image': written('an image in an SVG drawing', ({ picture }) => ({
    tile: `<svg><image width="46" height="46" href="${picture('image')}"/></svg>`,
  })),
  'svg-use': written('svg use of another file', ({ file }) => ({
    tile: `<svg><use href="${file(
      'sprite.svg',
      svg(
        '<svg xmlns="http://www.w3.org/2000/svg"><symbol id="a"><rect width="46" height="46" fill="#57a"/></symbol></svg>',
      ),
    )}#a"></use></svg>`,
  })),
  object: written('object', ({ picture, file }) => ({
    tile: `<object type="image/svg+xml" data="${file(
      'drawing.svg',
      svg(
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 46 46"><image width="46" height="46" href="${picture('image')}"/></svg>`,
      ),
    )}"></object>`,
  })),
  embed: written('embed', ({ picture }) => ({ tile: `<embed type="image/png" src="${picture('image')}">` })),
  frame: written('a frame', ({ picture, file }) => ({
    tile: `<iframe scrolling="no" src="${file('frame', framed(image(picture('image'))))}"></iframe>`,
  })),
  'frame-abroad': written('a frame of another host, with a frame of its own', ({ picture, file, other }) => {
    const inner = file('inner', framed(image(picture('image', 'parts'))), 'parts')
    const outer = file(
      'outer',
      framed(`<iframe scrolling="no" style="${frameStyle}" src="${inner}"></iframe>`),
      'parts',
    )
    return { tile: `<iframe scrolling="no" src="${other}${outer}"></iframe>` }
  }),
  srcdoc: written('a frame whose document stands in an attribute', ({ picture }) => ({
    tile: `<iframe scrolling="no" srcdoc="<body style='margin:0'><img src='${picture('image')}' alt=''>"></iframe>`,
  })),
  refresh: written('a frame that goes on by meta refresh', ({ picture, file }) => {
    const target = file('target', framed(image(picture('image'))))
    return {
      tile: `<iframe scrolling="no" src="${file('frame', html(`<!doctype html><meta http-equiv="refresh" content="0; url=${target}">`))}"></iframe>`,
    }
  }),
  poster: written('the poster of a film', ({ picture }) => ({
    tile: `<video poster="${picture('image')}"></video>`,
  })),
  sound: written('a sound', ({ id, file }) => ({
    tile: `<audio id="${id}-media" preload="auto" src="${file('tone.wav', { headers: { 'Content-Type': 'audio/wav' }, body: sound(1) })}"></audio>`,
    script: `tile('${id}', function () {
      var media = document.getElementById('${id}-media')
      return media.readyState >= 1 ? true : when(media, 'loadedmetadata')
    })`,
  })),
  track: written('the subtitles of a film', ({ id, file }) => ({
    tile: `<video><track id="${id}-track" kind="subtitles" default src="${file('words.vtt', { headers: { 'Content-Type': 'text/vtt' }, body: 'WEBVTT\n\n00:00.000 --> 00:01.000\nwords\n' })}"></video>`,
    script: `tile('${id}', function () {
      var track = document.getElementById('${id}-track')
      return track.readyState === 2 ? true : when(track, 'load').then(function () { return track.track.cues.length === 1 })
    })`,
  })),
  template: written('a template that a script stamps', ({ id, picture }) => ({
    tile: `<template id="${id}-stamp">${image(picture('image'))}</template>`,
    script: `(function () {
      var stamp = document.getElementById('${id}-stamp')
      stamp.parentNode.appendChild(stamp.content.cloneNode(true))
    })()`,
  })),
  shadow: written('a shadow tree in markup, with a style sheet that imports', ({ file, picture }) => ({
    tile: `<div><template shadowrootmode="open"><style>@import "${file('shadow.css', css(`div { width: 46px; height: 46px; background: url(${picture('image')}) }`))}"</style><div></div></template></div>`,
  })),
  style: written('a style element', (parts) => ({
    head: `<style>#${parts.id} { background-image: url(${parts.picture('background')}) }</style>`,
  })),
  'style-attribute': written('a style attribute', ({ picture }) => ({
    tile: `<div style="width:46px;height:46px;background:url(${picture('background')})"></div>`,
  })),
  sheet: written('a style sheet', (parts) => ({
    head: `<link rel="stylesheet" href="${parts.file('style.css', painting(parts))}">`,
  })),
  imports: written('a style sheet that imports one that imports one of another host', (parts) => {
    const { id, file, other, picture } = parts
    const third = file(
      'third.css',
      css(`#${id} { background-image: url("${picture('background', 'parts')}") }`, shared),
      'parts',
    )
    const second = file('second.css', css(`@import "${other}${third}";`))
    return { head: `<link rel="stylesheet" href="${file('first.css', css(`@import url(${second});`))}">` }
  }),
  'image-set': written('image-set in a style sheet', ({ id, file, picture }) => ({
    head: `<link rel="stylesheet" href="${file('style.css', css(`#${id} { background-image: image-set("${picture('one')}" 1x, url(${picture('two')}) 2x) }`))}">`,
  })),
  'custom-property': written('a URL in a custom property', ({ id, file, picture }) => ({
    head: `<link rel="stylesheet" href="${file('style.css', css(`#${id} { --picture: url(${picture('background')}); background-image: var(--picture) }`))}">`,
  })),
  font: written('a font', ({ id, file }) => ({
    head: `<style>@font-face { font-family: ${id}; src: url(${file('signs.ttf', { headers: { 'Content-Type': 'font/ttf' }, body: signFont() })}) }</style>`,
    script: `tile('${id}', function () { return document.fonts.load('20px ${id}').then(function (found) { return found.length === 1 }) })`,
  })),
  'xml-style': written('an XML document with a style sheet', ({ file, picture }) => {
    const sheet = file(
      'style.css',
      css(`page { display: block; width: 46px; height: 46px; background: url(${picture('background')}) }`),
    )
    return {
      tile: `<iframe scrolling="no" src="${file('page.xml', xml(`<?xml version="1.0"?><?xml-stylesheet href="${sheet}"?><page/>`))}"></iframe>`,
    }
  }),
  icon: unseen('the icon of the page', ({ picture }) => ({
    head: `<link rel="icon" href="${picture('icon')}">`,
  })),
  manifest: unseen('a manifest and its icon', ({ file, picture }) => ({
    head: `<link rel="manifest" href="${file('app.webmanifest', { headers: { 'Content-Type': 'application/manifest+json' }, body: JSON.stringify({ icons: [{ src: picture('icon') }] }) })}">`,
  })),
  preload: unseen('what is preloaded', ({ picture }) => ({
    head: `<link rel="preload" as="image" href="${picture('image')}">`,
  })),
}
