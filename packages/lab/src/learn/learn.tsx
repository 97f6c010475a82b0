import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { addressOf, route } from '../route.js';
import { AutoencoderScreen } from './autoencoder/autoencoder-screen.js';
import { ChargesScreen } from './charges/charges-screen.js';
import { ForcesScreen } from './forces/forces-screen.js';
import { RaceScreen } from './race/race-screen.js';
import { SCREENS, type ScreenId, screenOf, titleOf } from './screens.js';
import { UniquenessScreen } from './uniqueness/uniqueness-screen.js';
import { VarianceScreen } from './variance/variance-screen.js';
import '../style/learn.css';
import '../style/learn-pictures.css';

const COMPONENTS: Record<ScreenId, ComponentType> = {
  variance: VarianceScreen,
  forces: ForcesScreen,
  autoencoder: AutoencoderScreen,
  charges: ChargesScreen,
  race: RaceScreen,
  uniqueness: UniquenessScreen,
};

/** The screens that teach PCA, one at a time. */
export function Learn() {
  const id = screenOf(route.value.path[1]);
  useEffect(() => {
    const before = document.title;
    document.title = `${titleOf(id)} · scree lab`;
    return () => {
      document.title = before;
    };
  }, [id]);
  // A new screen starts at its top, for screen readers too.
  const before = useRef(id);
  useEffect(() => {
    if (before.current === id) return;
    before.current = id;
    scrollTo(0, 0);
    document.querySelector<HTMLElement>('.screen h1')?.focus();
  }, [id]);
  const Shown = COMPONENTS[id];
  return (
    <div class="learn">
      <nav class="topics" aria-label="Topics">
        <ol>
          {SCREENS.map(({ id: other, short }) => (
            <li key={other}>
              <a href={addressOf(['learn', other])} aria-current={other === id ? 'page' : undefined}>
                {short}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <Shown key={id} />
    </div>
  );
}
