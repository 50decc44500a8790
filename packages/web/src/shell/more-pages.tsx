// The list of all pages on a phone, where the tab bar has room for four. Loaded on demand.
import { Drawer } from '@mantine/core';
import { t } from '../i18n.ts';
import { Nav, NavFooter } from './nav.tsx';
import classes from './shell.module.css';

interface MorePagesProps {
  readonly isOpen: boolean;
  close(): void;
}

export function MorePages({ isOpen, close }: MorePagesProps) {
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      position="bottom"
      size="85%"
      radius="16px 16px 0 0"
      title={t('common.nav.allPages')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
      classNames={{ body: classes.more ?? '' }}
    >
      <Nav onChosen={close} />
      <NavFooter />
    </Drawer>
  );
}
