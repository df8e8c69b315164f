// Templates are compiled in the browser, as on pages that add Vue to their markup.
import { createApp } from 'vue'
import { createRouter, createWebHistory } from 'vue-router'

const get = async (path, parameters) =>
  (await fetch(`/api/${path}?${new URLSearchParams(parameters)}`, { credentials: 'include' })).json()

const Birds = {
  template: `
    <table :data-count="birds.length">
      <tr v-for="bird in birds" :key="bird.name">
        <td><img :src="'/birds/' + bird.name + '.svg'" width="80" height="60"></td>
        <td><router-link :to="'/bird/' + bird.name">{{ bird.name }}</router-link></td>
        <td>{{ bird.size }} cm</td>
      </tr>
    </table>`,
  data: () => ({ birds: [] }),
  async mounted() {
    for (let page = 1; page <= 2; page++) this.birds.push(...(await get('birds', { page, limit: 4 })))
  },
}

const Bird = {
  template: `<article v-if="bird" :data-name="bird.name"><h1>{{ bird.name }}</h1><p v-html="bird.markup"></p></article>`,
  data: () => ({ bird: undefined }),
  async mounted() {
    this.bird = await get('bird', { name: this.$route.params.name })
  },
}

const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: '/', component: Birds },
    { path: '/bird/:name', component: Bird },
  ],
})

const Page = {
  template: `<main style="font: 18px sans-serif"><h2><router-link to="/">Birds</router-link></h2><router-view :key="$route.path" /></main>`,
}

createApp(Page).use(router).mount('#app')
