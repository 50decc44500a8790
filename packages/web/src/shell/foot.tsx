// What stands below the list of pages, on a laptop and behind More on a phone.
import { HoldButton } from './hold.tsx';
import { SchemeButton } from './scheme-button.tsx';
import classes from './shell.module.css';

export function Foot() {
  return (
    <div className={classes.foot}>
      <HoldButton />
      <SchemeButton />
    </div>
  );
}
